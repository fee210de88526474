<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!DOCTYPE TS>
<TS version="2.1" language="de_DE">
<context>
    <name>AlertTexts</name>
    <message>
        <source>Loss or gradient is not finite</source>
        <translation>Verlust oder Gradient nicht endlich</translation>
    </message>
    <message>
        <source>Loss spikes</source>
        <translation>Verlust schlägt aus</translation>
    </message>
    <message>
        <source>Loss no longer falls</source>
        <translation>Verlust fällt nicht mehr</translation>
    </message>
    <message>
        <source>Speed has fallen</source>
        <translation>Geschwindigkeit ist gefallen</translation>
    </message>
    <message>
        <source>Memory above 95 %</source>
        <translation>Speicher über 95 %</translation>
    </message>
    <message>
        <source>Disk is nearly full</source>
        <translation>Platte ist fast voll</translation>
    </message>
    <message>
        <source>Run has ended</source>
        <translation>Lauf ist zu Ende</translation>
    </message>
    <message>
        <source>Run has failed</source>
        <translation>Lauf ist gescheitert</translation>
    </message>
    <message>
        <source>Loss %1, gradient norm %2</source>
        <translation>Verlust %1, Gradientennorm %2</translation>
    </message>
    <message>
        <source>The loss spikes: %1, above the limit %2</source>
        <translation>Der Verlust schlägt aus: %1, über der Grenze %2</translation>
    </message>
    <message>
        <source>The loss no longer falls: %1, before that %2</source>
        <translation>Der Verlust fällt nicht mehr: %1, davor %2</translation>
    </message>
    <message>
        <source>%1 has used %2 of its %3</source>
        <comment>a device, its peak, its memory</comment>
        <translation>%1 hat %2 von %3 belegt</translation>
    </message>
    <message>
        <source>%1 are left on the disk of the workspace</source>
        <translation>Auf der Platte des Arbeitsbereichs sind noch %1 frei</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>what happened and why</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>The speed has fallen: now %1 tok/s, usually %2 tok/s</source>
        <translation>Die Geschwindigkeit ist gefallen: jetzt %1 tok/s, sonst %2 tok/s</translation>
    </message>
</context>
<context>
    <name>ChartTable</name>
    <message>
        <source>superseded</source>
        <translation>überholt</translation>
    </message>
    <message>
        <source>every value</source>
        <translation>jeder Wert</translation>
    </message>
    <message>
        <source>%1, smoothed</source>
        <translation>%1, geglättet</translation>
    </message>
</context>
<context>
    <name>FailureTexts</name>
    <message>
        <source>Free some space on the disk first.</source>
        <translation>Zuerst Platz auf der Platte schaffen.</translation>
    </message>
    <message>
        <source>One of its processes or machines has gone. See to it that all of them are there.</source>
        <translation>Einer seiner Prozesse oder Rechner ist ausgefallen. Dafür sorgen, dass alle da sind.</translation>
    </message>
    <message>
        <source>Fetch the damaged file again, or take it from a backup.</source>
        <translation>Die beschädigte Datei noch einmal holen oder aus einer Sicherung nehmen.</translation>
    </message>
    <message>
        <source>A lower “%1” often helps.</source>
        <translation>Oft hilft, „%1“ zu senken.</translation>
    </message>
    <message>
        <source>A checkpoint is damaged.</source>
        <translation>Ein Checkpoint ist beschädigt.</translation>
    </message>
    <message>
        <source>Then resume it from a checkpoint that is older than the trouble.</source>
        <translation>Dann den Lauf von einem Checkpoint fortsetzen, der älter ist als die Störung.</translation>
    </message>
    <message>
        <source>The log tells what came before.</source>
        <translation>Das Protokoll sagt, was vorher geschah.</translation>
    </message>
    <message>
        <source>Then resume it: what it had done by its newest checkpoint is safe.</source>
        <translation>Dann den Lauf fortsetzen: Was er bis zum neuesten Checkpoint getan hat, ist sicher.</translation>
    </message>
    <message>
        <source>Then launch it again: it has no checkpoint to go on from.</source>
        <translation>Dann neu starten: Es gibt keinen Checkpoint, von dem der Lauf ausgehen könnte.</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>what to change, what to do then</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>It needs less memory with a smaller “%1”, with “%2”, or with a smaller “%3” where a budget of tokens is set. The first two leave the global batch as it is.</source>
        <translation>Weniger Speicher braucht er, wenn „%1“ kleiner ist, mit „%2“ oder, wo ein Token-Budget gesetzt ist, wenn „%3“ kleiner ist. Die ersten beiden lassen den globalen Batch, wie er ist.</translation>
    </message>
    <message>
        <source>Put the file back where it was, or name its new place: “%1” and “%2” for text, “%3” for the vocabulary.</source>
        <translation>Die Datei zurücklegen oder ihren neuen Ort nennen: „%1“ und „%2“ für Text, „%3“ für das Vokabular.</translation>
    </message>
    <message>
        <source>If the device fails again, see to its driver or choose another one under “%1”.</source>
        <translation>Versagt das Gerät noch einmal, nach seinem Treiber sehen oder unter „%1“ ein anderes wählen.</translation>
    </message>
</context>
<context>
    <name>FieldLabels</name>
    <message>
        <source>Peak learning rate</source>
        <translation>Höchste Lernrate</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimierer</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Gradient clip norm</source>
        <translation>Gradientennorm begrenzen auf</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>Lernratenplan</translation>
    </message>
    <message>
        <source>Warm-up length</source>
        <translation>Länge des Aufwärmens</translation>
    </message>
    <message>
        <source>Length of the schedule</source>
        <translation>Länge des Plans</translation>
    </message>
    <message>
        <source>Factor at the end</source>
        <translation>Faktor am Ende</translation>
    </message>
    <message>
        <source>Factor at the start</source>
        <translation>Faktor am Anfang</translation>
    </message>
    <message>
        <source>Factor in between</source>
        <translation>Faktor dazwischen</translation>
    </message>
    <message>
        <source>Factor</source>
        <translation>Faktor</translation>
    </message>
    <message>
        <source>First period</source>
        <translation>Erste Periode</translation>
    </message>
    <message>
        <source>Growth of the period</source>
        <translation>Wachstum der Periode</translation>
    </message>
    <message>
        <source>Parts of the chain</source>
        <translation>Teile der Kette</translation>
    </message>
    <message>
        <source>Training text</source>
        <translation>Trainingstext</translation>
    </message>
    <message>
        <source>Evaluation text</source>
        <translation>Text zur Auswertung</translation>
    </message>
    <message>
        <source>Longest sequence</source>
        <translation>Längste Sequenz</translation>
    </message>
    <message>
        <source>Share of masked tokens</source>
        <translation>Anteil maskierter Tokens</translation>
    </message>
    <message>
        <source>Held out for evaluation</source>
        <translation>Für die Auswertung zurückgehalten</translation>
    </message>
    <message>
        <source>Existing vocabulary</source>
        <translation>Vorhandenes Vokabular</translation>
    </message>
    <message>
        <source>Vocabulary size</source>
        <translation>Größe des Vokabulars</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Start from weights in</source>
        <translation>Beginnen mit Gewichten aus</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>Dropout</translation>
    </message>
    <message>
        <source>Attention dropout</source>
        <translation>Dropout der Attention</translation>
    </message>
    <message>
        <source>Attention logit penalty</source>
        <translation>Strafe auf Attention-Logits</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>Aktivierung</translation>
    </message>
    <message>
        <source>Layer norm epsilon</source>
        <translation>Epsilon der Layer-Norm</translation>
    </message>
    <message>
        <source>Place of the norm</source>
        <translation>Ort der Norm</translation>
    </message>
    <message>
        <source>Global batch size</source>
        <translation>Globale Batchgröße</translation>
    </message>
    <message>
        <source>Micro-batch per device</source>
        <translation>Mikrobatch je Gerät</translation>
    </message>
    <message>
        <source>Memory left free</source>
        <translation>Frei gelassener Speicher</translation>
    </message>
    <message>
        <source>Rounding of the micro-batch</source>
        <translation>Rundung des Mikrobatches</translation>
    </message>
    <message>
        <source>Ramp-up: length</source>
        <translation>Anstieg: Länge</translation>
    </message>
    <message>
        <source>Ramp-up: initial size</source>
        <translation>Anstieg: Anfangsgröße</translation>
    </message>
    <message>
        <source>Ramp-up: growth</source>
        <translation>Anstieg: Wachstum</translation>
    </message>
    <message>
        <source>Ramp-up: increment</source>
        <translation>Anstieg: Zuwachs</translation>
    </message>
    <message>
        <source>Ramp-up: own stages</source>
        <translation>Anstieg: eigene Stufen</translation>
    </message>
    <message>
        <source>Growth: new size</source>
        <translation>Wachstum: neue Größe</translation>
    </message>
    <message>
        <source>Growth: increment</source>
        <translation>Wachstum: Zuwachs</translation>
    </message>
    <message>
        <source>Growth: asked every</source>
        <translation>Wachstum: gefragt alle</translation>
    </message>
    <message>
        <source>Growth: bound</source>
        <translation>Wachstum: Grenze</translation>
    </message>
    <message>
        <source>Growth: may shrink</source>
        <translation>Wachstum: darf schrumpfen</translation>
    </message>
    <message>
        <source>Token budget: tokens per pack</source>
        <translation>Tokenbudget: Tokens je Paket</translation>
    </message>
    <message>
        <source>Token budget: order</source>
        <translation>Tokenbudget: Reihenfolge</translation>
    </message>
    <message>
        <source>Token budget: least sequences</source>
        <translation>Tokenbudget: wenigste Sequenzen</translation>
    </message>
    <message>
        <source>Token budget: most sequences</source>
        <translation>Tokenbudget: meiste Sequenzen</translation>
    </message>
    <message>
        <source>Token budget: packing</source>
        <translation>Tokenbudget: Packen</translation>
    </message>
    <message>
        <source>Token budget: counted</source>
        <translation>Tokenbudget: gezählt wird</translation>
    </message>
    <message>
        <source>Token budget: small packs</source>
        <translation>Tokenbudget: kleine Pakete</translation>
    </message>
    <message>
        <source>Token budget: cached lengths</source>
        <translation>Tokenbudget: gemerkte Längen</translation>
    </message>
    <message>
        <source>Token budget: equal sizes</source>
        <translation>Tokenbudget: gleiche Größen</translation>
    </message>
    <message>
        <source>Token budget: equal lengths</source>
        <translation>Tokenbudget: gleiche Längen</translation>
    </message>
    <message>
        <source>Evaluate every</source>
        <translation>Auswerten alle</translation>
    </message>
    <message>
        <source>Micro-batch of evaluation</source>
        <translation>Mikrobatch der Auswertung</translation>
    </message>
    <message>
        <source>Save every</source>
        <translation>Sichern alle</translation>
    </message>
    <message>
        <source>Write metrics every</source>
        <translation>Messwerte schreiben alle</translation>
    </message>
    <message>
        <source>After a NaN or infinity</source>
        <translation>Nach NaN oder Unendlich</translation>
    </message>
    <message>
        <source>Roll-backs allowed</source>
        <translation>Erlaubte Rückschritte</translation>
    </message>
    <message>
        <source>After a spike of the loss</source>
        <translation>Nach einem Ausschlag des Verlusts</translation>
    </message>
    <message>
        <source>Loss spike: height</source>
        <translation>Ausschlag: Höhe</translation>
    </message>
    <message>
        <source>Loss spike: window</source>
        <translation>Ausschlag: Fenster</translation>
    </message>
    <message>
        <source>When the loss stays level</source>
        <translation>Wenn der Verlust stehen bleibt</translation>
    </message>
    <message>
        <source>Plateau: window</source>
        <translation>Stillstand: Fenster</translation>
    </message>
    <message>
        <source>Plateau: least fall</source>
        <translation>Stillstand: kleinster Abfall</translation>
    </message>
    <message>
        <source>After a large gradient</source>
        <translation>Nach einem großen Gradienten</translation>
    </message>
    <message>
        <source>Gradient norm: limit</source>
        <translation>Gradientennorm: Grenze</translation>
    </message>
    <message>
        <source>After a large update</source>
        <translation>Nach einer großen Änderung</translation>
    </message>
    <message>
        <source>Update to weight: limit</source>
        <translation>Änderung zu Gewicht: Grenze</translation>
    </message>
    <message>
        <source>After a large attention logit</source>
        <translation>Nach einem großen Attention-Logit</translation>
    </message>
    <message>
        <source>Attention logit: limit</source>
        <translation>Attention-Logit: Grenze</translation>
    </message>
    <message>
        <source>When evaluations get no better</source>
        <translation>Wenn Auswertungen nicht besser werden</translation>
    </message>
    <message>
        <source>Early stop: metric</source>
        <translation>Früher Halt: Messgröße</translation>
    </message>
    <message>
        <source>Early stop: patience</source>
        <translation>Früher Halt: Geduld</translation>
    </message>
    <message>
        <source>Early stop: least gain</source>
        <translation>Früher Halt: kleinster Gewinn</translation>
    </message>
    <message>
        <source>When nothing moves any more</source>
        <translation>Wenn sich nichts mehr rührt</translation>
    </message>
    <message>
        <source>Hang: least limit</source>
        <translation>Hänger: kleinste Grenze</translation>
    </message>
    <message>
        <source>Hang: limit in medians</source>
        <translation>Hänger: Grenze in Medianen</translation>
    </message>
    <message>
        <source>Journal instead of database</source>
        <translation>Journal statt Datenbank</translation>
    </message>
    <message>
        <source>Time limit of the machine</source>
        <translation>Zeitgrenze der Maschine</translation>
    </message>
    <message>
        <source>Skipped steps allowed in a row</source>
        <translation>Erlaubte übersprungene Schritte in Folge</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Threads per device</source>
        <translation>Threads je Gerät</translation>
    </message>
    <message>
        <source>Reason for the run</source>
        <translation>Grund für den Lauf</translation>
    </message>
    <message>
        <source>Length of the run</source>
        <translation>Länge des Laufs</translation>
    </message>
    <message>
        <source>Number format</source>
        <translation>Zahlenformat</translation>
    </message>
    <message>
        <source>Random seed</source>
        <translation>Startwert des Zufalls</translation>
    </message>
    <message>
        <source>File version</source>
        <translation>Version der Datei</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>Batchgröße</translation>
    </message>
    <message>
        <source>Learning-rate schedule</source>
        <translation>Lernratenplan</translation>
    </message>
    <message>
        <source>Learning-rate scaling</source>
        <translation>Skalierung der Lernrate</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>Auswertung</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>Messwerte</translation>
    </message>
    <message>
        <source>Safety</source>
        <translation>Sicherheit</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>Use maximum batch size</source>
        <translation>Größtmögliche Batchgröße</translation>
    </message>
    <message>
        <source>Best metric</source>
        <translation>Maß für die besten</translation>
    </message>
    <message>
        <source>Keep best</source>
        <translation>Beste behalten</translation>
    </message>
    <message>
        <source>Keep every</source>
        <translation>Behalten alle</translation>
    </message>
    <message>
        <source>Keep last</source>
        <translation>Letzte behalten</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Join documents</source>
        <translation>Dokumente verbinden</translation>
    </message>
    <message>
        <source>Shuffle</source>
        <translation>Mischen</translation>
    </message>
    <message>
        <source>Text field</source>
        <translation>Textfeld</translation>
    </message>
    <message>
        <source>Activation checkpointing</source>
        <translation>Aktivierungen neu berechnen</translation>
    </message>
    <message>
        <source>Deterministic</source>
        <translation>Deterministisch</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>Speichergrenze</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Every step</source>
        <translation>Jeder Schritt</translation>
    </message>
    <message>
        <source>Noise scale</source>
        <translation>Rauschskala</translation>
    </message>
    <message>
        <source>Applies to</source>
        <translation>Gilt für</translation>
    </message>
    <message>
        <source>By</source>
        <translation>Nach</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>Reference batch size</source>
        <translation>Bezugsgröße des Batches</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>Verborgene Größe</translation>
    </message>
    <message>
        <source>Initializer range</source>
        <translation>Streuung der Anfangswerte</translation>
    </message>
    <message>
        <source>Intermediate size</source>
        <translation>Zwischengröße</translation>
    </message>
    <message>
        <source>Layer drop</source>
        <translation>Schichten auslassen</translation>
    </message>
    <message>
        <source>Max position embeddings</source>
        <translation>Längste Position</translation>
    </message>
    <message>
        <source>Num attention heads</source>
        <translation>Attention-Köpfe</translation>
    </message>
    <message>
        <source>Num hidden layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Tie word embeddings</source>
        <translation>Embeddings teilen</translation>
    </message>
    <message>
        <source>Type vocab size</source>
        <translation>Segmentarten</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Betas</source>
        <translation>Betas</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>Gewichtsabnahme</translation>
    </message>
    <message>
        <source>Scale schedule ratio</source>
        <translation>Streckung der Zeitpläne</translation>
    </message>
    <message>
        <source>Cooldown schedule</source>
        <translation>Form des Ausklangs</translation>
    </message>
    <message>
        <source>Exp factor</source>
        <translation>Exponentieller Faktor</translation>
    </message>
    <message>
        <source>Expression</source>
        <translation>Ausdruck</translation>
    </message>
    <message>
        <source>Gamma</source>
        <translation>Gamma</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>Potenz</translation>
    </message>
    <message>
        <source>Scale warmup</source>
        <translation>Aufwärmen strecken</translation>
    </message>
    <message>
        <source>Warmup from</source>
        <translation>Aufwärmen ab</translation>
    </message>
    <message>
        <source>Warmup init lr</source>
        <translation>Rate am Anfang des Aufwärmens</translation>
    </message>
    <message>
        <source>Warmup schedule</source>
        <translation>Form des Aufwärmens</translation>
    </message>
    <message>
        <source>Step size</source>
        <translation>Schrittweite</translation>
    </message>
    <message>
        <source>Milestones</source>
        <translation>Meilensteine</translation>
    </message>
    <message>
        <source>Decay period</source>
        <translation>Periode des Abfalls</translation>
    </message>
    <message>
        <source>Decay length</source>
        <translation>Länge des Abfalls</translation>
    </message>
    <message>
        <source>Cosine length</source>
        <translation>Länge des Kosinus</translation>
    </message>
    <message>
        <source>Cooldown length</source>
        <translation>Länge des Ausklangs</translation>
    </message>
    <message>
        <source>Lowercase</source>
        <translation>Kleinschreibung</translation>
    </message>
</context>
<context>
    <name>PlanFacts</name>
    <message numerus="yes">
        <source>%1 global batch(es)</source>
        <translation>
            <numerusform>%1 globaler Batch</numerusform>
            <numerusform>%1 globale Batches</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 samples</source>
        <translation>%1 Beispiele</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Tokens</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Global batches</source>
        <translation>Globale Batches</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>How many steps that is, only the run itself can tell</source>
        <translation>Wie viele Schritte das sind, kann nur der Lauf selbst sagen</translation>
    </message>
    <message>
        <source>Optimizer steps</source>
        <translation>Schritte des Optimierers</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Epochen</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>up to %1</source>
        <translation>bis zu %1</translation>
    </message>
    <message>
        <source>%1, if every sample is as long as it may be</source>
        <translation>%1, wenn jedes Beispiel so lang ist, wie es sein darf</translation>
    </message>
    <message>
        <source>%1 on average</source>
        <translation>%1 im Mittel</translation>
    </message>
    <message>
        <source>%1 to %2, by stage</source>
        <translation>%1 bis %2, je nach Stufe</translation>
    </message>
    <message>
        <source>Tokens per step</source>
        <translation>Tokens je Schritt</translation>
    </message>
    <message>
        <source>Over all devices</source>
        <translation>Über alle Geräte</translation>
    </message>
    <message>
        <source>Over all devices, if every sample is as long as it may be</source>
        <translation>Über alle Geräte, wenn jedes Beispiel so lang ist, wie es sein darf</translation>
    </message>
    <message>
        <source>Expected duration</source>
        <translation>Erwartete Dauer</translation>
    </message>
    <message>
        <source>%1, at the %2 tok/s of %3</source>
        <translation>%1, bei den %2 tok/s von %3</translation>
    </message>
    <message>
        <source>Training time without evaluation and checkpoints. The speed is that of the newest finished run with this model preset</source>
        <translation>Trainingszeit ohne Auswertung und Checkpoints. Die Geschwindigkeit ist die des neuesten fertigen Laufs mit dieser Modellgröße</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>Aufwärmen</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keines</translation>
    </message>
    <message>
        <source>Ramp-up</source>
        <translation>Anstieg</translation>
    </message>
    <message>
        <source>Fill</source>
        <translation>Füllung</translation>
    </message>
    <message>
        <source>%1 % of %2 tokens</source>
        <translation>%1 % von %2 Tokens</translation>
    </message>
    <message>
        <source>Share of the token budget that holds text in the first epoch</source>
        <translation>Anteil des Tokenbudgets, der in der ersten Epoche Text enthält</translation>
    </message>
    <message>
        <source>Share of the token budget that holds text in the first epoch, as if every sample were as long as it may be</source>
        <translation>Anteil des Tokenbudgets, der in der ersten Epoche Text enthält, als wäre jedes Beispiel so lang, wie es sein darf</translation>
    </message>
    <message>
        <source>Weights: %1</source>
        <translation>Gewichte: %1</translation>
    </message>
    <message>
        <source>Gradients: %1</source>
        <translation>Gradienten: %1</translation>
    </message>
    <message>
        <source>Moments of the optimizer: %1</source>
        <translation>Momente des Optimierers: %1</translation>
    </message>
    <message>
        <source>Copies of the weights in 16 bits: %1</source>
        <translation>Kopien der Gewichte in 16 Bit: %1</translation>
    </message>
    <message>
        <source>Activations kept for the backward pass: %1</source>
        <translation>Aktivierungen, für den Rückwärtsdurchlauf aufgehoben: %1</translation>
    </message>
    <message>
        <source>Head, with a chunk of logits: %1</source>
        <translation>Kopf, mit einem Stück der Logits: %1</translation>
    </message>
    <message>
        <source>Gradients on their way: %1</source>
        <translation>Gradienten auf ihrem Weg: %1</translation>
    </message>
    <message>
        <source>Micro-batch: %1 x %2 tokens</source>
        <comment>sequences x their length</comment>
        <translation>Micro-Batch: %1 x %2 Tokens</translation>
    </message>
    <message>
        <source>%1, as auto has it on a processor</source>
        <translation>%1, wie auto es auf einem Prozessor hält</translation>
    </message>
    <message>
        <source>%1, about what auto will find within the memory limit</source>
        <translation>%1, etwa was auto innerhalb der Speichergrenze finden wird</translation>
    </message>
    <message>
        <source>%1; the search at launch takes the largest that fits</source>
        <translation>%1; die Suche beim Start nimmt das größte, das passt</translation>
    </message>
    <message>
        <source>%1, if the search at launch finds that it fits</source>
        <translation>%1, falls es nach der Suche beim Start passt</translation>
    </message>
    <message>
        <source>at least %1 per device</source>
        <translation>mindestens %1 je Gerät</translation>
    </message>
    <message>
        <source>up to %1 per device</source>
        <translation>bis zu %1 je Gerät</translation>
    </message>
    <message>
        <source>about %1 per device</source>
        <translation>etwa %1 je Gerät</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Tensors in the moment of a step that takes most:
%1
%2</source>
        <translation>Tensoren in dem Augenblick eines Schritts, der am meisten braucht:
%1
%2</translation>
    </message>
    <message>
        <source>%1 for the first of %2 runs</source>
        <translation>%1 für den ersten von %2 Läufen</translation>
    </message>
    <message>
        <source>up to %1 for the first of %2 runs</source>
        <translation>bis zu %1 für den ersten von %2 Läufen</translation>
    </message>
    <message>
        <source>%1 for all %2 runs, %3 for the first</source>
        <translation>%1 für alle %2 Läufe, %3 für den ersten</translation>
    </message>
    <message>
        <source>up to %1 for all %2 runs, %3 for the first</source>
        <translation>bis zu %1 für alle %2 Läufe, %3 für den ersten</translation>
    </message>
    <message>
        <source>up to %1 tokens</source>
        <translation>bis zu %1 Tokens</translation>
    </message>
</context>
<context>
    <name>PlotTexts</name>
    <message>
        <source>%1 at or below 0 not shown</source>
        <translation>%1 bei oder unter 0 nicht gezeigt</translation>
    </message>
    <message>
        <source>%1 beyond the edge</source>
        <translation>%1 außerhalb des Rands</translation>
    </message>
</context>
<context>
    <name>ResumeTexts</name>
    <message>
        <source>This checkpoint is at the end of the run. Give a greater length, or choose an earlier checkpoint.</source>
        <translation>Dieser Checkpoint liegt am Ende des Laufs. Eine größere Länge angeben oder einen früheren Checkpoint wählen.</translation>
    </message>
    <message>
        <source>A new run begins with the weights of the checkpoint. Clocks, optimizer moments and the order of samples start anew.</source>
        <translation>Ein neuer Lauf beginnt mit den Gewichten des Checkpoints. Uhren, Momente des Optimierers und Reihenfolge der Beispiele beginnen von vorn.</translation>
    </message>
    <message>
        <source>Weights, optimizer moments, schedule and position go on. Every step has the same samples and masks; the numbers are close, not equal, because the devices or the micro-batch change.</source>
        <translation>Gewichte, Momente des Optimierers, Plan und Stelle gehen weiter. Jeder Schritt hat dieselben Beispiele und Masken; die Zahlen sind nahe, nicht gleich, weil sich Geräte oder Mikrobatch ändern.</translation>
    </message>
    <message>
        <source>Weights, optimizer moments, loss scaler, schedule, order of samples, masks and dropout go on from the checkpoint: bit for bit on the same devices and libraries. If those differ, the log says so.</source>
        <translation>Gewichte, Momente des Optimierers, Verlustskalierung, Plan, Reihenfolge der Beispiele, Masken und Dropout gehen vom Checkpoint aus weiter: Bit für Bit auf denselben Geräten und Bibliotheken. Sind diese anders, sagt es das Protokoll.</translation>
    </message>
    <message>
        <source>The rows of %1 stay as they are.</source>
        <translation>Die Werte von %1 bleiben, wie sie sind.</translation>
    </message>
    <message>
        <source>Nothing is trained twice.</source>
        <translation>Nichts wird zweimal trainiert.</translation>
    </message>
    <message numerus="yes">
        <source>%n global batch(es) after the checkpoint are trained again. Their old rows are kept and drawn dimmed.</source>
        <translation>
            <numerusform>%n globaler Batch nach dem Checkpoint wird noch einmal trainiert. Seine alten Werte bleiben und werden blass gezeichnet.</numerusform>
            <numerusform>%n globale Batches nach dem Checkpoint werden noch einmal trainiert. Ihre alten Werte bleiben und werden blass gezeichnet.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 would rename the run; a fork is a new run of that name</source>
        <translation>%1 würde den Lauf umbenennen; eine Abzweigung ist ein neuer Lauf dieses Namens</translation>
    </message>
    <message>
        <source>%1 was resolved at launch and is kept; resolve the schedule anew, or fork</source>
        <translation>%1 wurde beim Start ausgerechnet und bleibt; den Plan neu rechnen, oder abzweigen</translation>
    </message>
    <message>
        <source>%1 would make it another run; it is possible as a fork</source>
        <translation>%1 würde daraus einen anderen Lauf machen; als Abzweigung ist es möglich</translation>
    </message>
    <message>
        <source>There is no checkpoint to go on from.</source>
        <translation>Es gibt keinen Checkpoint, von dem es weitergehen könnte.</translation>
    </message>
    <message>
        <source>This checkpoint was taken inside a global batch, which a schedule resolved anew would cut into other parts. Choose one that was taken between two, or keep the schedule.</source>
        <translation>Dieser Checkpoint entstand innerhalb eines globalen Batches, den ein neu aufgelöster Plan in andere Teile schneiden würde. Einen wählen, der zwischen zweien entstand, oder den Plan behalten.</translation>
    </message>
    <message>
        <source>The learning rate keeps its schedule, and holds its last value behind the end of it. Resolve the schedule anew to spread it over the new length.</source>
        <translation>Die Lernrate behält ihren Plan und hinter dessen Ende seinen letzten Wert. Den Plan neu zu rechnen verteilt ihn über die neue Länge.</translation>
    </message>
</context>
<context>
    <name>RunCharts</name>
    <message>
        <source>word frequencies</source>
        <translation>Häufigkeiten der Wörter</translation>
    </message>
    <message>
        <source>Batch size from %1 to %2 samples per step</source>
        <translation>Batchgröße von %1 auf %2 Beispiele je Schritt</translation>
    </message>
    <message>
        <source>training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>evaluation</source>
        <translation>Auswertung</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>geplant</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>verwendet</translation>
    </message>
    <message>
        <source>limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>Höchstwert</translation>
    </message>
    <message>
        <source>used</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>before clipping</source>
        <translation>vor dem Begrenzen</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>used by all programs</source>
        <translation>von allen Programmen belegt</translation>
    </message>
</context>
<context>
    <name>XAxisTexts</name>
    <message>
        <source>Global batches</source>
        <translation>Globale Batches</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Epochen</translation>
    </message>
    <message>
        <source>Training time</source>
        <translation>Trainingszeit</translation>
    </message>
    <message>
        <source>Batch %1</source>
        <translation>Batch %1</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>Sample %1</source>
        <translation>Beispiel %1</translation>
    </message>
    <message>
        <source>Token %1</source>
        <translation>Token %1</translation>
    </message>
    <message>
        <source>Epoch %1</source>
        <translation>Epoche %1</translation>
    </message>
    <message>
        <source>After %1</source>
        <translation>Nach %1</translation>
    </message>
    <message>
        <source>Elapsed time</source>
        <translation>Verstrichene Zeit</translation>
    </message>
    <message>
        <source>Operations (FLOP)</source>
        <translation>Operationen (FLOP)</translation>
    </message>
    <message>
        <source>%1 after the start</source>
        <translation>%1 nach dem Start</translation>
    </message>
    <message>
        <source>After %1 FLOP</source>
        <translation>Nach %1 FLOP</translation>
    </message>
</context>
<context>
    <name>SeriesLabels</name>
    <message>
        <source>nats per masked token</source>
        <translation>Nats je maskiertem Token</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Evaluation loss</source>
        <translation>Verlust der Auswertung</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>per step</source>
        <translation>je Schritt</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>Batchgröße</translation>
    </message>
    <message>
        <source>samples per step</source>
        <translation>Beispiele je Schritt</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>tokens per second</source>
        <translation>Tokens je Sekunde</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>before clipping</source>
        <translation>vor dem Begrenzen</translation>
    </message>
    <message>
        <source>Samples per second</source>
        <translation>Beispiele je Sekunde</translation>
    </message>
    <message>
        <source>Seconds per step</source>
        <translation>Sekunden je Schritt</translation>
    </message>
    <message>
        <source>Fill of the micro-batches</source>
        <translation>Füllung der Mikrobatches</translation>
    </message>
    <message>
        <source>Steps per global batch</source>
        <translation>Schritte je globalem Batch</translation>
    </message>
    <message>
        <source>Samples per global batch</source>
        <translation>Beispiele je globalem Batch</translation>
    </message>
    <message>
        <source>Noise scale of the gradient</source>
        <translation>Rauschskala des Gradienten</translation>
    </message>
    <message>
        <source>Perplexity of the evaluation</source>
        <translation>Perplexität der Auswertung</translation>
    </message>
    <message>
        <source>Accuracy of the evaluation</source>
        <translation>Genauigkeit der Auswertung</translation>
    </message>
    <message>
        <source>Seconds of an evaluation</source>
        <translation>Sekunden einer Auswertung</translation>
    </message>
    <message>
        <source>Samples of an evaluation</source>
        <translation>Beispiele einer Auswertung</translation>
    </message>
    <message>
        <source>Tokens of an evaluation</source>
        <translation>Tokens einer Auswertung</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>used</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>reserviert</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>Höchstwert</translation>
    </message>
    <message>
        <source>limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>used by all programs</source>
        <translation>von allen Programmen belegt</translation>
    </message>
    <message>
        <source>Memory of %1, %2</source>
        <comment>%1: a device, %2: used, peak, …</comment>
        <translation>Speicher von %1, %2</translation>
    </message>
    <message>
        <source>en</source>
        <comment>the language of these words, as HTML names it</comment>
        <translation>de</translation>
    </message>
</context>
<context>
    <name>Studio</name>
    <message>
        <source>Trains BERT and shows how it learns.</source>
        <translation>Trainiert BERT und zeigt, wie es lernt.</translation>
    </message>
    <message>
        <source>Folder with runs, metrics and checkpoints.</source>
        <translation>Ordner mit Läufen, Messwerten und Checkpoints.</translation>
    </message>
    <message>
        <source>Configuration file to edit.</source>
        <translation>Konfigurationsdatei zum Bearbeiten.</translation>
    </message>
    <message>
        <source>Forget window layout, appearance and folders.</source>
        <translation>Anordnung des Fensters, Erscheinung und Ordner vergessen.</translation>
    </message>
</context>
<context>
    <name>SvgPicture</name>
    <message>
        <source>The drawing is no SVG that can be read</source>
        <translation>Die Zeichnung ist kein lesbares SVG</translation>
    </message>
    <message>
        <source>There is not enough memory for a picture of this size</source>
        <translation>Für ein Bild dieser Größe reicht der Speicher nicht</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>Started as %1</source>
        <translation>Gestartet als %1</translation>
    </message>
    <message>
        <source>Resumed %1 from global batch %2</source>
        <translation>%1 fortgesetzt ab globalem Batch %2</translation>
    </message>
    <message>
        <source>Evaluation loss %1, perplexity %2, accuracy %3 % of masked tokens (%4)</source>
        <translation>Verlust der Auswertung %1, Perplexität %2, Genauigkeit %3 % der maskierten Tokens (%4)</translation>
    </message>
    <message>
        <source>Saved a checkpoint of %1 in %2</source>
        <translation>Checkpoint von %1 in %2 gesichert</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Angelegt</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Gescheitert</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>Unterbrochen</translation>
    </message>
</context>
<context>
    <name>batchwise::AlertModel</name>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
</context>
<context>
    <name>batchwise::AlertsPane</name>
    <message>
        <source>Alerts</source>
        <translation>Warnungen</translation>
    </message>
    <message>
        <source>What happens then</source>
        <translation>Was dann geschieht</translation>
    </message>
    <message>
        <source>Notify on the desktop</source>
        <translation>Auf dem Desktop melden</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>What needs a look is listed here: values that are not finite, spikes, a level loss, a fall of the speed, little memory or disk, and runs that end.</source>
        <translation>Hier steht, was einen Blick braucht: Werte, die nicht endlich sind, Ausschläge, ein Verlust, der stehen bleibt, ein Abfall der Geschwindigkeit, wenig Speicher oder Platte, und Läufe, die enden.</translation>
    </message>
    <message>
        <source>Nothing more</source>
        <translation>Nichts weiter</translation>
    </message>
    <message>
        <source>Pause the run</source>
        <translation>Den Lauf pausieren</translation>
    </message>
    <message>
        <source>Save a checkpoint</source>
        <translation>Einen Checkpoint sichern</translation>
    </message>
    <message>
        <source>Stop and save</source>
        <translation>Anhalten und sichern</translation>
    </message>
    <message>
        <source>For each kind of alert: nothing more, pause, checkpoint, or stop; and how slow is too slow</source>
        <translation>Für jede Art von Warnung: nichts weiter, Pause, Checkpoint oder Anhalten; und wie langsam zu langsam ist</translation>
    </message>
    <message>
        <source>Told below %1 % of the usual speed</source>
        <translation>Gemeldet unter %1 % der sonstigen Geschwindigkeit</translation>
    </message>
</context>
<context>
    <name>batchwise::AlertsPresenter</name>
    <message>
        <source>Batchwise</source>
        <translation>Batchwise</translation>
    </message>
    <message>
        <source>Alert: %1</source>
        <translation>Warnung: %1</translation>
    </message>
</context>
<context>
    <name>batchwise::CheckpointModel</name>
    <message>
        <source>Pinned</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Global batch %1, step %2, %3 samples, %4 tokens</source>
        <translation>Globaler Batch %1, Schritt %2, %3 Beispiele, %4 Tokens</translation>
    </message>
    <message>
        <source>%1 bytes, %2</source>
        <translation>%1 Bytes, %2</translation>
    </message>
    <message>
        <source>%1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>Pinned checkpoints are never deleted to make room</source>
        <translation>Was als behalten gekennzeichnet ist, wird nie gelöscht, um Platz zu schaffen</translation>
    </message>
    <message>
        <source>Being read back…</source>
        <translation>Wird zurückgelesen …</translation>
    </message>
    <message>
        <source>Good, read back now</source>
        <translation>Gut, gerade zurückgelesen</translation>
    </message>
    <message>
        <source>Damaged</source>
        <translation>Beschädigt</translation>
    </message>
    <message>
        <source>Holds values that are not finite</source>
        <translation>Enthält Werte, die nicht endlich sind</translation>
    </message>
    <message>
        <source>Verified when written</source>
        <translation>Beim Schreiben geprüft</translation>
    </message>
    <message>
        <source>Not verified</source>
        <translation>Nicht geprüft</translation>
    </message>
    <message>
        <source>The figure by which the best ones are kept</source>
        <translation>Die Zahl, nach der die besten behalten werden</translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation>Globaler Batch</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>Auswertung</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>Behalten</translation>
    </message>
</context>
<context>
    <name>batchwise::CheckpointsPage</name>
    <message>
        <source>The checkpoints of the selected run will be here. A run writes them at the intervals of its configuration, and when it is stopped.</source>
        <translation>Hier stehen die Checkpoints des gewählten Laufs. Ein Lauf schreibt sie in den Abständen seiner Konfiguration und wenn er angehalten wird.</translation>
    </message>
    <message>
        <source>Checkpoints of the selected run</source>
        <translation>Checkpoints des gewählten Laufs</translation>
    </message>
    <message>
        <source>Resume from here</source>
        <translation>Von hier fortsetzen</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Export for transformers…</source>
        <translation>Ausgeben für transformers …</translation>
    </message>
    <message>
        <source>See what going on from this checkpoint means, then go on</source>
        <translation>Zeigt, was das Fortsetzen von diesem Checkpoint bedeutet, und macht dann weiter</translation>
    </message>
    <message>
        <source>Read the whole file back and check every hash</source>
        <translation>Liest die ganze Datei zurück und vergleicht jede Prüfsumme</translation>
    </message>
    <message>
        <source>Write a folder with config.json, model.safetensors and the vocabulary, as Hugging Face&apos;s transformers reads it</source>
        <translation>Schreibt einen Ordner mit config.json, model.safetensors und dem Vokabular, wie ihn transformers von Hugging Face liest</translation>
    </message>
    <message>
        <source>The checkpoint at global batch %1 is deleted in 10 seconds</source>
        <translation>Der Checkpoint am globalen Batch %1 wird in 10 Sekunden gelöscht</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Nicht mehr behalten</translation>
    </message>
    <message>
        <source>Let it be deleted again when there are newer ones</source>
        <translation>Darf wieder gelöscht werden, wenn es neuere gibt</translation>
    </message>
    <message>
        <source>Keep it: it is never deleted to make room</source>
        <translation>Behalten: wird nie gelöscht, um Platz zu schaffen</translation>
    </message>
    <message>
        <source>Unpin it first</source>
        <translation>Zuerst das Behalten aufheben</translation>
    </message>
    <message>
        <source>Delete the file; can be undone for 10 seconds</source>
        <translation>Löscht die Datei; lässt sich 10 Sekunden lang rückgängig machen</translation>
    </message>
    <message>
        <source>Folder for the model</source>
        <translation>Ordner für das Modell</translation>
    </message>
</context>
<context>
    <name>batchwise::CheckpointsPresenter</name>
    <message>
        <source>Writing the model to %1</source>
        <translation>Das Modell wird nach %1 geschrieben</translation>
    </message>
    <message>
        <source>The model is in %1</source>
        <translation>Das Modell liegt in %1</translation>
    </message>
</context>
<context>
    <name>batchwise::ChosenRunsProxy</name>
    <message>
        <source>%1, chosen for comparison</source>
        <translation>%1, zum Vergleich gewählt</translation>
    </message>
</context>
<context>
    <name>batchwise::ClosingGuard</name>
    <message>
        <source>A run is training</source>
        <translation>Ein Lauf trainiert</translation>
    </message>
    <message>
        <source>%1 is training. What should happen to it?</source>
        <translation>%1 trainiert. Was soll damit geschehen?</translation>
    </message>
    <message>
        <source>Stop and save writes a checkpoint after the step under way, then closes the window; the run can be resumed from it. A run in this program cannot go on without its window.</source>
        <translation>Anhalten und sichern schreibt nach dem laufenden Schritt einen Checkpoint und schließt dann das Fenster; der Lauf lässt sich von dort fortsetzen. Ein Lauf in diesem Programm kann ohne sein Fenster nicht weitergehen.</translation>
    </message>
    <message>
        <source>It has its own process: it can go on without the window, and the next window shows it again. Stop and save writes a checkpoint after the step under way, then closes.</source>
        <translation>Er hat einen eigenen Prozess: er kann ohne das Fenster weitergehen, und das nächste Fenster zeigt ihn wieder. Anhalten und sichern schreibt nach dem laufenden Schritt einen Checkpoint und schließt dann.</translation>
    </message>
    <message>
        <source>Stop and save</source>
        <translation>Anhalten und sichern</translation>
    </message>
    <message>
        <source>Keep training, minimise</source>
        <translation>Weiter trainieren, verkleinern</translation>
    </message>
    <message>
        <source>Close, keep training</source>
        <translation>Schließen, weiter trainieren</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>A run is being saved</source>
        <translation>Ein Lauf wird gespeichert</translation>
    </message>
    <message>
        <source>%1 has been asked to stop after the step under way and to save a checkpoint.</source>
        <translation>%1 soll nach dem laufenden Schritt anhalten und einen Checkpoint speichern.</translation>
    </message>
    <message>
        <source>The window closes by itself once that is done. If the run hangs, close anyway: what it did since its last checkpoint is lost, and it can be resumed from there.</source>
        <translation>Danach schließt sich das Fenster von selbst. Wenn der Lauf hängt, trotzdem schließen: Was er seit seinem letzten Checkpoint getan hat, geht verloren, und er kann von dort fortgesetzt werden.</translation>
    </message>
    <message>
        <source>Keep waiting</source>
        <translation>Weiter warten</translation>
    </message>
    <message>
        <source>Close anyway</source>
        <translation>Trotzdem schließen</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>Später</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>The language changes when Batchwise starts again.</source>
        <translation>Die Sprache wechselt, wenn Batchwise neu startet.</translation>
    </message>
    <message>
        <source>A restart comes back to this workspace, page and run, and to what is being edited.</source>
        <translation>Ein Neustart kehrt zu diesem Arbeitsbereich, dieser Seite und diesem Lauf zurück, und zu dem, was bearbeitet wird.</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>Jetzt neu starten</translation>
    </message>
</context>
<context>
    <name>batchwise::CommandPalette</name>
    <message>
        <source>Find a command</source>
        <translation>Befehl suchen</translation>
    </message>
    <message>
        <source>Find a command, a run or a setting</source>
        <translation>Befehl, Lauf oder Einstellung suchen</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Was gefunden wurde</translation>
    </message>
    <message>
        <source>No command, run, layout or setting has these words: %1</source>
        <translation>Kein Befehl, Lauf, Layout und keine Einstellung hat diese Wörter: %1</translation>
    </message>
</context>
<context>
    <name>batchwise::CompareChart</name>
    <message>
        <source>Chart of the compared runs</source>
        <translation>Diagramm der verglichenen Läufe</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>%1 (%2 to %3, n = %4)</source>
        <translation>%1 (%2 bis %3, n = %4)</translation>
    </message>
    <message>
        <source>%1 (n = %2)</source>
        <translation>%1 (n = %2)</translation>
    </message>
</context>
<context>
    <name>batchwise::ComparePage</name>
    <message>
        <source>Choose the newest runs</source>
        <translation>Die neuesten Läufe wählen</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Messgröße</translation>
    </message>
    <message>
        <source>Horizontal axis</source>
        <translation>Waagrechte Achse</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>What is equal where runs are compared; time is training time, without evaluations and pauses</source>
        <translation>Was gleich ist, wo Läufe verglichen werden; Zeit ist Trainingszeit ohne Auswertungen und Pausen</translation>
    </message>
    <message>
        <source>Group runs</source>
        <translation>Läufe gruppieren</translation>
    </message>
    <message>
        <source>Center of a group</source>
        <translation>Mitte einer Gruppe</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>Band of a group</source>
        <translation>Band einer Gruppe</translation>
    </message>
    <message>
        <source>std</source>
        <translation>Std.-Abw.</translation>
    </message>
    <message>
        <source>stderr</source>
        <translation>Std.-Fehler</translation>
    </message>
    <message>
        <source>95 %</source>
        <translation>95 %</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keines</translation>
    </message>
    <message>
        <source>Standard deviation, standard error, or 95 % confidence of the mean (Student&apos;s t)</source>
        <translation>Standardabweichung, Standardfehler oder 95-%-Vertrauensbereich des Mittels (Student-t)</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>Weight of the values before; the thin line shows every value</source>
        <translation>Gewicht der Werte davor; die dünne Linie zeigt jeden Wert</translation>
    </message>
    <message>
        <source>Logarithmic values</source>
        <translation>Logarithmische Werte</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>over</source>
        <translation>über</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>Smooth</source>
        <translation>Glätten</translation>
    </message>
    <message>
        <source>Views</source>
        <translation>Ansichten</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Ausgeben</translation>
    </message>
    <message>
        <source>Values of the runs beside those of the baseline</source>
        <translation>Werte der Läufe neben denen der Basis</translation>
    </message>
    <message>
        <source>Fields in which the runs differ</source>
        <translation>Einstellungen, in denen sich die Läufe unterscheiden</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>Parallel axes</source>
        <translation>Parallele Achsen</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>seeds</source>
        <translation>Startwerte</translation>
    </message>
    <message>
        <source>Runs that differ in name and seed only become one line</source>
        <translation>Läufe, die sich nur in Namen und Startwert unterscheiden, werden eine Linie</translation>
    </message>
    <message>
        <source>Runs that you choose in the list with the space bar are compared here. The first one is the baseline; B makes another one the baseline.</source>
        <translation>Läufe, die in der Liste mit der Leertaste gewählt werden, stehen hier nebeneinander. Der erste ist die Basis; B macht einen anderen dazu.</translation>
    </message>
    <message>
        <source>Drawing (*.svg);;Document (*.pdf);;Picture (*.png)</source>
        <translation>Zeichnung (*.svg);;Dokument (*.pdf);;Bild (*.png)</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>Webseite (*.html)</translation>
    </message>
    <message>
        <source>CSV (*.csv);;Markdown (*.md);;LaTeX (*.tex)</source>
        <translation>CSV (*.csv);;Markdown (*.md);;LaTeX (*.tex)</translation>
    </message>
    <message>
        <source>There is no comparison to export; choose runs first</source>
        <translation>Es gibt keinen Vergleich auszugeben; zuerst Läufe wählen</translation>
    </message>
    <message>
        <source>Made %1.</source>
        <translation>Erstellt: %1.</translation>
    </message>
    <message>
        <source>%1 ends in none of .svg, .pdf, .png, .html, .csv, .md, .tex</source>
        <translation>%1 endet auf keines von .svg, .pdf, .png, .html, .csv, .md, .tex</translation>
    </message>
    <message>
        <source>Save this view…</source>
        <translation>Diese Ansicht sichern …</translation>
    </message>
    <message>
        <source>Save this view</source>
        <translation>Diese Ansicht sichern</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>Log scale</source>
        <translation>Logarithmisch</translation>
    </message>
    <message>
        <source>A double click groups the runs by the field</source>
        <translation>Ein Doppelklick gruppiert die Läufe nach dem Feld</translation>
    </message>
    <message>
        <source>In the file</source>
        <translation>In der Datei</translation>
    </message>
    <message>
        <source>Export chart of the comparison…</source>
        <translation>Diagramm des Vergleichs ausgeben …</translation>
    </message>
    <message>
        <source>Export comparison as a report…</source>
        <translation>Vergleich als Bericht ausgeben …</translation>
    </message>
    <message>
        <source>Export table of the comparison…</source>
        <translation>Tabelle des Vergleichs ausgeben …</translation>
    </message>
    <message>
        <source>Export every point of the comparison…</source>
        <translation>Jeden Punkt des Vergleichs ausgeben …</translation>
    </message>
    <message>
        <source>Export lines and bands of the groups…</source>
        <translation>Linien und Bänder der Gruppen ausgeben …</translation>
    </message>
    <message>
        <source>Copy table of the comparison as Markdown</source>
        <translation>Tabelle des Vergleichs als Markdown kopieren</translation>
    </message>
    <message>
        <source>Copy table of the comparison as LaTeX</source>
        <translation>Tabelle des Vergleichs als LaTeX kopieren</translation>
    </message>
    <message numerus="yes">
        <source>%n row(s) copied as %1</source>
        <translation>
            <numerusform>%n Zeile als %1 kopiert</numerusform>
            <numerusform>%n Zeilen als %1 kopiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All %n row(s) copied as %1, also those that the parallel axes hide</source>
        <translation>
            <numerusform>%n Zeile als %1 kopiert, auch wenn die parallelen Achsen sie ausblenden</numerusform>
            <numerusform>Alle %n Zeilen als %1 kopiert, auch die, die von den parallelen Achsen ausgeblendet sind</numerusform>
        </translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
</context>
<context>
    <name>batchwise::ConfigDraft</name>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
</context>
<context>
    <name>batchwise::ConfigForm</name>
    <message>
        <source>default</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>from the preset</source>
        <translation>aus der Vorlage</translation>
    </message>
    <message>
        <source>from the file</source>
        <translation>aus der Datei</translation>
    </message>
    <message>
        <source>typed here</source>
        <translation>hier eingegeben</translation>
    </message>
    <message>
        <source>Source: %1.</source>
        <translation>Quelle: %1.</translation>
    </message>
    <message>
        <source>%1: differs from %2</source>
        <translation>%1: anders als bei %2</translation>
    </message>
    <message>
        <source>Reset to nothing</source>
        <translation>Zurücksetzen auf nichts</translation>
    </message>
    <message>
        <source>Reset to %1</source>
        <translation>Zurücksetzen auf %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Show fewer</source>
        <translation>Weniger zeigen</translation>
    </message>
    <message numerus="yes">
        <source>Show %n more</source>
        <translation>
            <numerusform>%n weitere zeigen</numerusform>
            <numerusform>%n weitere zeigen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::DeviceModel</name>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>Belegt</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>Höchstwert</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>Peak of limit</source>
        <translation>Höchstwert zu Grenze</translation>
    </message>
</context>
<context>
    <name>batchwise::DockTitle</name>
    <message>
        <source>Take it out of the window, or back</source>
        <translation>Aus dem Fenster lösen oder zurück</translation>
    </message>
    <message>
        <source>Close; the View menu brings it back</source>
        <translation>Schließen; das Menü Ansicht holt es zurück</translation>
    </message>
</context>
<context>
    <name>batchwise::DraftHistory</name>
    <message>
        <source>another configuration</source>
        <translation>Wechsel der Konfiguration</translation>
    </message>
    <message>
        <source>change of the YAML text</source>
        <translation>Änderung des YAML-Texts</translation>
    </message>
    <message>
        <source>change of “%1”</source>
        <translation>Änderung von „%1“</translation>
    </message>
</context>
<context>
    <name>batchwise::DropCommands</name>
    <message>
        <source>This folder is no workspace: it holds no workspace.sqlite.</source>
        <translation>Dieser Ordner ist kein Arbeitsbereich: er enthält keine workspace.sqlite.</translation>
    </message>
</context>
<context>
    <name>batchwise::EditPage</name>
    <message>
        <source>Form</source>
        <translation>Formular</translation>
    </message>
    <message>
        <source>YAML</source>
        <translation>YAML</translation>
    </message>
    <message>
        <source>Find a setting</source>
        <translation>Einstellung suchen</translation>
    </message>
    <message>
        <source>Go to a group of settings</source>
        <translation>Zu einer Gruppe von Einstellungen gehen</translation>
    </message>
    <message>
        <source>Add to the queue</source>
        <translation>In die Warteschlange</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Show the first problem</source>
        <translation>Das erste Problem zeigen</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Starten</translation>
    </message>
    <message numerus="yes">
        <source>%n setting(s) to correct before the launch</source>
        <translation>
            <numerusform>Vor dem Start ist %n Einstellung zu berichtigen</numerusform>
            <numerusform>Vor dem Start sind %n Einstellungen zu berichtigen</numerusform>
        </translation>
    </message>
    <message>
        <source>Ready, but: %1. What would do: %2.</source>
        <comment>a warning and its remedy</comment>
        <translation>Bereit, aber: %1. Was hilft: %2.</translation>
    </message>
    <message numerus="yes">
        <source>%n value(s) of %1</source>
        <translation>
            <numerusform>%n Wert von %1</numerusform>
            <numerusform>%n Werte von %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Ready: %1, one run for each combination</source>
        <comment>%1: 3 values of Random seed, …</comment>
        <translation>Bereit: %1, ein Lauf für jede Kombination</translation>
    </message>
    <message>
        <source>Ready to launch %1</source>
        <translation>Bereit zum Start von %1</translation>
    </message>
    <message>
        <source>a run</source>
        <translation>einem Lauf</translation>
    </message>
    <message numerus="yes">
        <source>Launch %n run(s)</source>
        <translation>
            <numerusform>%n Lauf starten</numerusform>
            <numerusform>%n Läufe starten</numerusform>
        </translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>Das Training beginnen</translation>
    </message>
    <message>
        <source>Train when its turn comes, one run after the other</source>
        <translation>Trainieren, wenn er an der Reihe ist, ein Lauf nach dem anderen</translation>
    </message>
    <message>
        <source>Same settings as %1</source>
        <translation>Gleiche Einstellungen wie %1</translation>
    </message>
    <message numerus="yes">
        <source>Differs from %1 in %n setting(s): %2</source>
        <translation>
            <numerusform>Anders als %1 in %n Einstellung: %2</numerusform>
            <numerusform>Anders als %1 in %n Einstellungen: %2</numerusform>
        </translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
</context>
<context>
    <name>batchwise::EditPresenter</name>
    <message>
        <source>%1. What would do: %2.</source>
        <comment>a problem and its remedy</comment>
        <translation>%1. Was hilft: %2.</translation>
    </message>
</context>
<context>
    <name>batchwise::EventLane</name>
    <message>
        <source>Events of the run</source>
        <translation>Ereignisse des Laufs</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
</context>
<context>
    <name>batchwise::FailureCommands</name>
    <message>
        <source>Resume…</source>
        <translation>Fortsetzen …</translation>
    </message>
    <message>
        <source>Duplicate the run</source>
        <translation>Lauf duplizieren</translation>
    </message>
    <message>
        <source>Show the log</source>
        <translation>Protokoll zeigen</translation>
    </message>
    <message>
        <source>Run %1 has failed</source>
        <translation>Lauf %1 ist gescheitert</translation>
    </message>
    <message>
        <source>The run could not start</source>
        <translation>Der Lauf konnte nicht starten</translation>
    </message>
</context>
<context>
    <name>batchwise::FieldEditor</name>
    <message>
        <source>On</source>
        <translation>An</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen …</translation>
    </message>
    <message>
        <source>Browse for: %1</source>
        <translation>Durchsuchen für: %1</translation>
    </message>
    <message>
        <source>Choose text files</source>
        <translation>Textdateien wählen</translation>
    </message>
    <message>
        <source>Text (*.txt *.jsonl *.gz);;All files (*)</source>
        <translation>Text (*.txt *.jsonl *.gz);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation>Ordner wählen</translation>
    </message>
</context>
<context>
    <name>batchwise::FilterChips</name>
    <message>
        <source>Condition</source>
        <translation>Bedingung</translation>
    </message>
    <message>
        <source>Show only runs of a state or with a tag</source>
        <translation>Nur Läufe in einem Zustand oder mit einem Schlagwort zeigen</translation>
    </message>
    <message>
        <source>Remove the condition %1</source>
        <translation>Die Bedingung %1 entfernen</translation>
    </message>
    <message>
        <source>Tag %1</source>
        <translation>Schlagwort %1</translation>
    </message>
</context>
<context>
    <name>batchwise::HelpWindow</name>
    <message>
        <source>en</source>
        <comment>folder of the help pages</comment>
        <extracomment>The folder with the help in the language of the translation: en or de.</extracomment>
        <translation>de</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Page of help</source>
        <translation>Hilfeseite</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>batchwise::ImportWindow</name>
    <message>
        <source>New run from another trainer&apos;s file</source>
        <translation>Neuer Lauf aus der Datei eines anderen Trainers</translation>
    </message>
    <message>
        <source>What becomes of each setting</source>
        <translation>Was aus jeder Einstellung wird</translation>
    </message>
    <message>
        <source>In the file</source>
        <translation>In der Datei</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Hier</translation>
    </message>
    <message>
        <source>Remarks</source>
        <translation>Bemerkungen</translation>
    </message>
    <message>
        <source>Edit it as the next run</source>
        <translation>Als nächsten Lauf bearbeiten</translation>
    </message>
    <message>
        <source>told from the names in it</source>
        <translation>an den Namen darin erkannt</translation>
    </message>
    <message>
        <source>not said</source>
        <translation>nicht gesagt</translation>
    </message>
    <message>
        <source>Where its sizes are per device, they are multiplied by this to give the global batch</source>
        <translation>Größen, die dort je Gerät gelten, werden damit malgenommen: das ergibt den globalen Batch</translation>
    </message>
    <message>
        <source>&amp;Written for</source>
        <translation>&amp;Geschrieben für</translation>
    </message>
    <message>
        <source>on this many &amp;devices</source>
        <translation>auf so vielen Ge&amp;räten</translation>
    </message>
    <message>
        <source>%1 is a configuration of %2. This is what becomes of it; what has no place here can be set by hand before the launch.</source>
        <translation>%1 ist eine Konfiguration von %2. Das wird daraus; was hier keinen Platz hat, lässt sich vor dem Start von Hand einstellen.</translation>
    </message>
    <message>
        <source>Not taken: %1</source>
        <translation>Nicht übernommen: %1</translation>
    </message>
    <message>
        <source>–</source>
        <translation>–</translation>
    </message>
    <message>
        <source>Taken: %1</source>
        <translation>Übernommen: %1</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a field and its value</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Notes: %1</source>
        <translation>Hinweise: %1</translation>
    </message>
</context>
<context>
    <name>batchwise::LayoutCommands</name>
    <message>
        <source>La&amp;youts</source>
        <translation>Anor&amp;dnungen</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>&amp;Löschen</translation>
    </message>
    <message>
        <source>&amp;Save layout as…</source>
        <translation>Anordnung &amp;speichern unter …</translation>
    </message>
    <message>
        <source>Keep the places and sizes of docks and bars under a name</source>
        <translation>Plätze und Größen von Docks und Leisten unter einem Namen behalten</translation>
    </message>
    <message>
        <source>&amp;First layout</source>
        <translation>&amp;Erste Anordnung</translation>
    </message>
    <message>
        <source>Docks and bars as they were at the first start</source>
        <translation>Docks und Leisten wie beim ersten Start</translation>
    </message>
    <message>
        <source>The layout %1 is of another version and cannot be used. Delete it or save it anew.</source>
        <translation>Die Anordnung %1 ist von einer anderen Version und nicht brauchbar. Sie löschen oder neu speichern.</translation>
    </message>
    <message>
        <source>Save layout</source>
        <translation>Anordnung speichern</translation>
    </message>
    <message>
        <source>Name of the layout</source>
        <translation>Name der Anordnung</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
</context>
<context>
    <name>batchwise::LogModel</name>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
</context>
<context>
    <name>batchwise::MainWindow</name>
    <message>
        <source>Batchwise</source>
        <translation>Batchwise</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>The configuration of the next run</source>
        <translation>Die Konfiguration des nächsten Laufs</translation>
    </message>
    <message>
        <source>&amp;Watch</source>
        <translation>B&amp;eobachten</translation>
    </message>
    <message>
        <source>The charts of the selected run</source>
        <translation>Die Diagramme des gewählten Laufs</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>&amp;Vergleichen</translation>
    </message>
    <message>
        <source>The chosen runs side by side</source>
        <translation>Die gewählten Läufe nebeneinander</translation>
    </message>
    <message>
        <source>Chec&amp;kpoints</source>
        <translation>Chec&amp;kpoints</translation>
    </message>
    <message>
        <source>The checkpoints of the selected run</source>
        <translation>Die Checkpoints des gewählten Laufs</translation>
    </message>
    <message>
        <source>&amp;Recent workspaces</source>
        <translation>&amp;Letzte Arbeitsbereiche</translation>
    </message>
    <message>
        <source>%1 – Batchwise</source>
        <translation>%1 – Batchwise</translation>
    </message>
</context>
<context>
    <name>batchwise::MessageBar</name>
    <message>
        <source>Copy this message</source>
        <translation>Diese Nachricht kopieren</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>Diese Nachricht schließen</translation>
    </message>
    <message>
        <source>Written to %1</source>
        <translation>Geschrieben nach %1</translation>
    </message>
    <message>
        <source>%1 cannot be used</source>
        <translation>%1 ist nicht verwendbar</translation>
    </message>
</context>
<context>
    <name>batchwise::NewRunCommands</name>
    <message>
        <source>New run from a file</source>
        <translation>Neuer Lauf aus einer Datei</translation>
    </message>
    <message>
        <source>Configurations (*.yaml *.yml);;All files (*)</source>
        <translation>Konfigurationen (*.yaml *.yml);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open workspace</source>
        <translation>Arbeitsbereich öffnen</translation>
    </message>
    <message>
        <source>A run is training in this workspace. Stop it before opening another one.</source>
        <translation>In diesem Arbeitsbereich trainiert ein Lauf. Er ist anzuhalten, bevor ein anderer geöffnet wird.</translation>
    </message>
    <message>
        <source>This workspace is open in another window, which is in front now.</source>
        <translation>Dieser Arbeitsbereich ist in einem anderen Fenster offen, das jetzt vorn ist.</translation>
    </message>
    <message>
        <source>Save the configuration</source>
        <translation>Konfiguration speichern</translation>
    </message>
    <message>
        <source>run</source>
        <translation>lauf</translation>
    </message>
    <message>
        <source>There is no workspace in this folder</source>
        <translation>In diesem Ordner ist kein Arbeitsbereich</translation>
    </message>
    <message>
        <source>%1 holds other files and no workspace.</source>
        <translation>%1 enthält andere Dateien und keinen Arbeitsbereich.</translation>
    </message>
    <message>
        <source>A new workspace would put its database, checkpoints and cache beside them.</source>
        <translation>Ein neuer Arbeitsbereich legt Datenbank, Checkpoints und Zwischenspeicher daneben.</translation>
    </message>
    <message>
        <source>Make a workspace here</source>
        <translation>Hier einen Arbeitsbereich anlegen</translation>
    </message>
    <message>
        <source>New run from another trainer&apos;s file</source>
        <translation>Neuer Lauf aus der Datei eines anderen Trainers</translation>
    </message>
    <message>
        <source>Composer, torchtune, DeepSpeed (*.yaml *.yml *.json);;All files (*)</source>
        <translation>Composer, torchtune, DeepSpeed (*.yaml *.yml *.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Comments would be lost</source>
        <translation>Kommentare gingen verloren</translation>
    </message>
    <message>
        <source>In %1 the relative names of files have to be written in full.</source>
        <translation>In %1 müssen die relativen Dateinamen ganz ausgeschrieben werden.</translation>
    </message>
    <message>
        <source>The way in which this text gives them allows that only by writing the text anew, without its comments. Saved into the folder that it came from, it stays as it is.</source>
        <translation>So, wie dieser Text sie angibt, geht das nur, indem er neu geschrieben wird, ohne seine Kommentare. In dem Ordner gespeichert, aus dem er kam, bleibt er, wie er ist.</translation>
    </message>
    <message>
        <source>Save without comments</source>
        <translation>Ohne Kommentare speichern</translation>
    </message>
    <message>
        <source>The workspace cannot be used. Choose another one under File &gt; Open workspace.</source>
        <translation>Der Arbeitsbereich ist nicht verwendbar. Einen anderen wählen unter Datei &gt; Arbeitsbereich öffnen.</translation>
    </message>
    <message>
        <source>The other workspace cannot be opened. This one stays open.</source>
        <translation>Der andere Arbeitsbereich ist nicht zu öffnen. Dieser bleibt offen.</translation>
    </message>
</context>
<context>
    <name>batchwise::NotesPane</name>
    <message>
        <source>Note on the selected run</source>
        <translation>Notiz zum gewählten Lauf</translation>
    </message>
    <message>
        <source>What was tried, and what came of it (Markdown)</source>
        <translation>Was versucht wurde, und was dabei herauskam (Markdown)</translation>
    </message>
    <message>
        <source>Select a run to write down what you found.</source>
        <translation>Einen Lauf wählen, um Erkenntnisse aufzuschreiben.</translation>
    </message>
    <message>
        <source>On run %1</source>
        <comment>title of a note</comment>
        <translation>Zu Lauf %1</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Change the note; it is Markdown. Off: read it</source>
        <translation>Die Notiz ändern; sie ist Markdown. Aus: sie lesen</translation>
    </message>
</context>
<context>
    <name>batchwise::ParallelPlot</name>
    <message>
        <source>Fields in which the runs differ, and the metric, as parallel axes</source>
        <translation>Einstellungen, in denen sich die Läufe unterscheiden, und die Messgröße, als parallele Achsen</translation>
    </message>
    <message>
        <source>%1 (%2). Draw along the axis to keep the runs that pass there; click to keep all.</source>
        <translation>%1 (%2). Entlang der Achse ziehen behält die Läufe, die dort hindurchgehen; ein Klick behält alle.</translation>
    </message>
</context>
<context>
    <name>batchwise::PreviewPane</name>
    <message>
        <source>No plan yet</source>
        <translation>Noch kein Plan</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>planned, over global batches</source>
        <translation>geplant, über globale Batches</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>Batchgröße</translation>
    </message>
    <message>
        <source>samples per step, planned</source>
        <translation>Beispiele je Schritt, geplant</translation>
    </message>
    <message>
        <source>Samples per epoch</source>
        <translation>Beispiele je Epoche</translation>
    </message>
    <message>
        <source>estimate</source>
        <translation>geschätzt</translation>
    </message>
    <message>
        <source>What the preview takes an epoch to have until the text has been read</source>
        <translation>Was die Vorschau für eine Epoche annimmt, bis der Text gelesen ist</translation>
    </message>
    <message>
        <source>Stages of the plan</source>
        <translation>Stufen des Plans</translation>
    </message>
    <message>
        <source>not known until the text is read</source>
        <translation>nicht bekannt, bis der Text gelesen ist</translation>
    </message>
    <message>
        <source>%1, as the text was read before</source>
        <translation>%1, wie der Text früher gelesen wurde</translation>
    </message>
    <message>
        <source>about %1, from the size of the text</source>
        <translation>etwa %1, aus der Größe des Texts</translation>
    </message>
    <message>
        <source>Note: %1</source>
        <translation>Hinweis: %1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a field and its value</comment>
        <translation>%1 %2</translation>
    </message>
    <message numerus="yes">
        <source>Shown is the first of %n run(s): %1</source>
        <translation>
            <numerusform>Gezeigt ist der Lauf: %1</numerusform>
            <numerusform>Gezeigt ist der erste von %n Läufen: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>There are settings to correct. Shown is what the last valid ones do.</source>
        <translation>Es sind Einstellungen zu berichtigen. Gezeigt ist, was die letzten gültigen tun.</translation>
    </message>
</context>
<context>
    <name>batchwise::QueueModel</name>
    <message>
        <source>The queue resumes it when its turn comes.</source>
        <translation>Die Warteschlange setzt ihn fort, wenn er an der Reihe ist.</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
    <message>
        <source>Run without a name</source>
        <translation>Lauf ohne Namen</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
</context>
<context>
    <name>batchwise::QueuePane</name>
    <message>
        <source>Go on after a failure</source>
        <translation>Nach einem Fehler fortfahren</translation>
    </message>
    <message>
        <source>Queue of runs</source>
        <translation>Warteschlange der Läufe</translation>
    </message>
    <message>
        <source>A run that fails does not keep the ones behind it from their turn</source>
        <translation>Ein Lauf, der scheitert, hält die hinter ihm nicht auf</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>Nach unten</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Remove ended</source>
        <translation>Erledigte entfernen</translation>
    </message>
    <message>
        <source>Take out of the queue what has had its turn; the runs stay</source>
        <translation>Nimmt heraus, was an der Reihe war; die Läufe bleiben</translation>
    </message>
    <message>
        <source>Hold the queue</source>
        <translation>Warteschlange anhalten</translation>
    </message>
    <message>
        <source>Start the queue</source>
        <translation>Warteschlange starten</translation>
    </message>
    <message>
        <source>Runs that are added under Edit are trained on this machine one after the other, also after a restart.</source>
        <translation>Läufe, die unter Bearbeiten dazukommen, werden auf diesem Rechner nacheinander trainiert, auch nach einem Neustart.</translation>
    </message>
    <message>
        <source>Held: %1</source>
        <comment>%1: a sentence of the program</comment>
        <translation>Angehalten: %1</translation>
    </message>
    <message>
        <source>Nothing waits</source>
        <translation>Nichts wartet</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) waiting; each starts when no other one trains on this machine</source>
        <translation>
            <numerusform>%n Lauf wartet; er startet, wenn auf diesem Rechner kein anderer trainiert</numerusform>
            <numerusform>%n Läufe warten; jeder startet, wenn auf diesem Rechner kein anderer trainiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) waiting for the start of the queue</source>
        <translation>
            <numerusform>%n Lauf wartet auf den Start der Warteschlange</numerusform>
            <numerusform>%n Läufe warten auf den Start der Warteschlange</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::ResumeDialog</name>
    <message>
        <source>global batch %1, %2</source>
        <translation>globaler Batch %1, %2</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>Resume %1</source>
        <translation>%1 fortsetzen</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Until</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>Änderungen</translation>
    </message>
    <message>
        <source>Goes on</source>
        <translation>Geht weiter</translation>
    </message>
    <message>
        <source>Again</source>
        <translation>Noch einmal</translation>
    </message>
    <message>
        <source>Differs</source>
        <translation>Anders</translation>
    </message>
    <message>
        <source>Not possible</source>
        <translation>Nicht möglich</translation>
    </message>
    <message>
        <source>Checkpoint to go on from</source>
        <translation>Checkpoint, von dem es weitergeht</translation>
    </message>
    <message>
        <source>Length of the run</source>
        <translation>Länge des Laufs</translation>
    </message>
    <message>
        <source>%1, as before</source>
        <translation>%1, wie bisher</translation>
    </message>
    <message>
        <source>A longer length extends the run, for example 4ep or 20000ba</source>
        <translation>Eine größere Länge verlängert den Lauf, zum Beispiel 4ep oder 20000ba</translation>
    </message>
    <message>
        <source>Resolve the schedule anew for this length</source>
        <translation>Lernratenplan für diese Länge neu rechnen</translation>
    </message>
    <message>
        <source>Otherwise the learning rate keeps its schedule and holds its last value</source>
        <translation>Sonst behält die Lernrate ihren Plan und hält ihren letzten Wert</translation>
    </message>
    <message>
        <source>Changes of the configuration</source>
        <translation>Änderungen der Konfiguration</translation>
    </message>
    <message>
        <source>One a line, for example eval.interval=50ba</source>
        <translation>Eine je Zeile, zum Beispiel eval.interval=50ba</translation>
    </message>
    <message>
        <source>Fork as a new run</source>
        <translation>Als neuen Lauf abzweigen</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Nothing: it goes on as it was</source>
        <translation>Nichts: es geht weiter, wie es war</translation>
    </message>
    <message>
        <source>Resume from %1</source>
        <translation>Fortsetzen ab %1</translation>
    </message>
    <message>
        <source>Begin a new run from the checkpoint; this one stays as it is</source>
        <translation>Beginnt einen neuen Lauf vom Checkpoint aus; dieser bleibt, wie er ist</translation>
    </message>
    <message>
        <source>Name of a fork</source>
        <translation>Name einer Abzweigung</translation>
    </message>
    <message>
        <source>%1, with a number behind it</source>
        <translation>%1, mit einer Zahl dahinter</translation>
    </message>
    <message>
        <source>What the new run is called if you fork. A run that goes on keeps its name</source>
        <translation>Wie der neue Lauf heißt, wenn abgezweigt wird. Ein Lauf, der weitergeht, behält seinen Namen</translation>
    </message>
    <message>
        <source>A fork: %1</source>
        <translation>Eine Abzweigung: %1</translation>
    </message>
</context>
<context>
    <name>batchwise::ResumeCommands</name>
    <message>
        <source>Run %1 was interrupted at global batch %2</source>
        <translation>Lauf %1 wurde am globalen Batch %2 unterbrochen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>None of its checkpoints can be used.</source>
        <translation>Keiner seiner Checkpoints ist verwendbar.</translation>
    </message>
    <message>
        <source>Last good checkpoint: global batch %1, verified just now.</source>
        <translation>Letzter guter Checkpoint: globaler Batch %1, gerade geprüft.</translation>
    </message>
    <message>
        <source>Resume from %1</source>
        <translation>Fortsetzen ab %1</translation>
    </message>
    <message>
        <source>Choose checkpoint</source>
        <translation>Checkpoint wählen</translation>
    </message>
    <message>
        <source>Keep stopped</source>
        <translation>Angehalten lassen</translation>
    </message>
</context>
<context>
    <name>batchwise::RunCommands</name>
    <message>
        <source>No run is training. Select one that is, or launch one</source>
        <translation>Kein Lauf trainiert. Einen wählen, der es tut, oder einen starten</translation>
    </message>
    <message>
        <source>The run is stopping</source>
        <translation>Der Lauf hält an</translation>
    </message>
    <message>
        <source>The run has not reached its first global batch</source>
        <translation>Der Lauf hat seinen ersten globalen Batch noch nicht erreicht</translation>
    </message>
    <message>
        <source>No run is training</source>
        <translation>Kein Lauf trainiert</translation>
    </message>
    <message>
        <source>The run is stopping already</source>
        <translation>Der Lauf hält schon an</translation>
    </message>
    <message>
        <source>No workspace is open</source>
        <translation>Kein Arbeitsbereich ist offen</translation>
    </message>
    <message>
        <source>The configuration under Edit has errors</source>
        <translation>Die Konfiguration unter Bearbeiten hat Fehler</translation>
    </message>
    <message>
        <source>The queue here trains on this machine. Slurm has its own: Launch puts the run into that</source>
        <translation>Die Warteschlange hier trainiert auf diesem Rechner. Slurm hat eine eigene: Starten reiht den Lauf dort ein</translation>
    </message>
    <message>
        <source>Train with the configuration under Edit on this machine when its turn comes</source>
        <translation>Mit der Konfiguration unter Bearbeiten auf diesem Rechner trainieren, wenn sie an der Reihe ist</translation>
    </message>
    <message>
        <source>Train with the configuration under Edit, in a process of its own because a run trains in this program already</source>
        <translation>Mit der Konfiguration unter Bearbeiten trainieren, in einem eigenen Prozess, weil in diesem Programm schon ein Lauf trainiert</translation>
    </message>
    <message>
        <source>Train with the configuration under Edit, in a process of its own</source>
        <translation>Mit der Konfiguration unter Bearbeiten trainieren, in einem eigenen Prozess</translation>
    </message>
    <message>
        <source>Train with the configuration under Edit</source>
        <translation>Mit der Konfiguration unter Bearbeiten trainieren</translation>
    </message>
    <message>
        <source>Go on training</source>
        <translation>Weiter trainieren</translation>
    </message>
    <message>
        <source>Wait after the step under way</source>
        <translation>Nach dem laufenden Schritt warten</translation>
    </message>
    <message>
        <source>End the training when the running global batch is complete, with a checkpoint to resume from</source>
        <translation>Das Training beenden, wenn der laufende globale Batch vollständig ist, mit einem Checkpoint zum Fortsetzen</translation>
    </message>
    <message>
        <source>End the training after the step under way, with a checkpoint to resume from</source>
        <translation>Das Training nach dem laufenden Schritt beenden, mit einem Checkpoint zum Fortsetzen</translation>
    </message>
    <message>
        <source>End the training after the step under way. What was done since the newest checkpoint is lost for a resume</source>
        <translation>Das Training nach dem laufenden Schritt beenden. Was seit dem neuesten Checkpoint getan wurde, ist für ein Fortsetzen verloren</translation>
    </message>
    <message>
        <source>Select a run to go on with</source>
        <translation>Einen Lauf wählen, der weitergehen soll</translation>
    </message>
    <message>
        <source>The selected run is training</source>
        <translation>Der gewählte Lauf trainiert</translation>
    </message>
    <message>
        <source>See what going on with this run means, then go on</source>
        <translation>Zeigt, was das Fortsetzen dieses Laufs bedeutet, und macht dann weiter</translation>
    </message>
    <message>
        <source>A run on a cluster can be stopped and resumed, but not paused</source>
        <translation>Ein Lauf auf einem Cluster lässt sich anhalten und fortsetzen, aber nicht pausieren</translation>
    </message>
    <message>
        <source>Submit the configuration under Edit to the Slurm cluster</source>
        <translation>Übergibt die Konfiguration unter Bearbeiten dem Slurm-Cluster</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) added to the queue</source>
        <translation>
            <numerusform>%n Lauf ist in der Warteschlange</numerusform>
            <numerusform>%n Läufe sind in der Warteschlange</numerusform>
        </translation>
    </message>
    <message>
        <source>Training begins when the queue is started.</source>
        <translation>Das Training beginnt, wenn die Warteschlange gestartet wird.</translation>
    </message>
</context>
<context>
    <name>batchwise::RunListCommands</name>
    <message>
        <source>rename %1</source>
        <translation>%1 umbenennen</translation>
    </message>
    <message>
        <source>choose none</source>
        <translation>keinen wählen</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Name of the selected run</source>
        <translation>Name des gewählten Laufs</translation>
    </message>
    <message>
        <source>Export the selected run</source>
        <translation>Gewählten Lauf exportieren</translation>
    </message>
    <message>
        <source>Runs (*.batchwise)</source>
        <translation>Läufe (*.batchwise)</translation>
    </message>
    <message>
        <source>Import a run</source>
        <translation>Lauf importieren</translation>
    </message>
    <message>
        <source>Runs (*.batchwise);;All files (*)</source>
        <translation>Läufe (*.batchwise);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>archive %1</source>
        <translation>Archivieren von %1</translation>
    </message>
    <message>
        <source>Run %1 is archived</source>
        <translation>Lauf %1 ist im Archiv</translation>
    </message>
    <message>
        <source>Nothing of it is deleted.</source>
        <translation>Nichts davon ist gelöscht.</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>No workspace is open.</source>
        <translation>Kein Arbeitsbereich ist offen.</translation>
    </message>
</context>
<context>
    <name>batchwise::RunListModel</name>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message numerus="yes">
        <source>%1 global batch(es)</source>
        <translation>
            <numerusform>%1 globaler Batch</numerusform>
            <numerusform>%1 globale Batches</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2 global batches</source>
        <translation>%1 von %2 globalen Batches</translation>
    </message>
    <message>
        <source>Training loss, nats per masked token: %1</source>
        <translation>Trainingsverlust, Nats je maskiertem Token: %1</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Verlust</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Getan</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Angelegt</translation>
    </message>
    <message>
        <source>Tags: %1</source>
        <translation>Schlagwörter: %1</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
</context>
<context>
    <name>batchwise::RunListPane</name>
    <message>
        <source>Filter: a word, or status = finished</source>
        <translation>Filter: ein Wort, oder status = finished</translation>
    </message>
    <message>
        <source>Words are looked for in names, tags and notes. Conditions: optimizer.lr &gt; 1e-4 and (tag = ramp or status = finished). Fields of the configuration, name, tag, status, loss, eval_loss, ba, tok; = != &lt; &gt; ~ in, and or not.</source>
        <translation>Wörter werden in Namen, Schlagwörtern und Notizen gesucht. Bedingungen: optimizer.lr &gt; 1e-4 and (tag = ramp or status = finished). Felder der Konfiguration, name, tag, status, loss, eval_loss, ba, tok; = != &lt; &gt; ~ in, and or not.</translation>
    </message>
    <message>
        <source>Filter runs</source>
        <translation>Läufe filtern</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Choose for comparison</source>
        <translation>Zum Vergleich wählen</translation>
    </message>
    <message>
        <source>Make it the baseline</source>
        <translation>Zur Basis machen</translation>
    </message>
    <message>
        <source>Compare the chosen runs</source>
        <translation>Gewählte Läufe vergleichen</translation>
    </message>
    <message>
        <source>Choose none</source>
        <translation>Keinen wählen</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>Schlagwörter …</translation>
    </message>
    <message>
        <source>Note…</source>
        <translation>Notiz …</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>Ins Archiv</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Tags of the selected run, with commas between them</source>
        <translation>Schlagwörter des gewählten Laufs, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Note on the selected run (Markdown)</source>
        <translation>Notiz zum gewählten Lauf (Markdown)</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s), %1 shown, %2 chosen</source>
        <translation>
            <numerusform>%n Lauf, %1 gezeigt, %2 gewählt</numerusform>
            <numerusform>%n Läufe, %1 gezeigt, %2 gewählt</numerusform>
        </translation>
    </message>
    <message>
        <source>No runs yet. Press New run to make one.</source>
        <translation>Noch keine Läufe. Neuer Lauf macht einen.</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s), %1 shown</source>
        <translation>
            <numerusform>%n Lauf, %1 gezeigt</numerusform>
            <numerusform>%n Läufe, %1 gezeigt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>%n Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Umbenennen …</translation>
    </message>
    <message>
        <source>No name, tag or note has “%1”. A condition goes on with a sign, as loss &lt; 2.5</source>
        <translation>Kein Name, kein Schlagwort und keine Notiz enthält „%1“. Eine Bedingung geht mit einem Zeichen weiter, wie loss &lt; 2.5</translation>
    </message>
    <message>
        <source>Set tags</source>
        <translation>Schlagwörter setzen</translation>
    </message>
    <message>
        <source>Save note</source>
        <translation>Notiz speichern</translation>
    </message>
</context>
<context>
    <name>batchwise::ArchiveJobs</name>
    <message>
        <source>Exporting %1…</source>
        <translation>%1 wird exportiert …</translation>
    </message>
    <message>
        <source>Importing %1…</source>
        <translation>%1 wird importiert …</translation>
    </message>
</context>
<context>
    <name>batchwise::RunPresenter</name>
    <message>
        <source>This run is training already</source>
        <translation>Dieser Lauf trainiert schon</translation>
    </message>
    <message>
        <source>Paused in another process</source>
        <translation>In einem anderen Prozess angehalten</translation>
    </message>
    <message>
        <source>Training in another process</source>
        <translation>Trainiert in einem anderen Prozess</translation>
    </message>
    <message>
        <source>Starting its process</source>
        <translation>Startet seinen Prozess</translation>
    </message>
    <message>
        <source>Loading the trainer</source>
        <translation>Lädt den Trainer</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Hält an</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Trainiert</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Submitting to Slurm</source>
        <translation>Wird an Slurm übergeben</translation>
    </message>
    <message>
        <source>In the queue of Slurm</source>
        <translation>In der Warteschlange von Slurm</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>Wartet</translation>
    </message>
</context>
<context>
    <name>batchwise::RunStatusBar</name>
    <message>
        <source>State icon</source>
        <translation>Zeichen des Zustands</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Global batches done</source>
        <translation>Erledigte globale Batches</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>Verbleibende Zeit</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Geschwindigkeit</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Free disk space</source>
        <translation>Freier Plattenplatz</translation>
    </message>
    <message>
        <source>Left on the disk of the workspace</source>
        <translation>Frei auf der Platte des Arbeitsbereichs</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>No run is training</source>
        <translation>Kein Lauf trainiert</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>batch %1 of %2</source>
        <translation>Batch %1 von %2</translation>
    </message>
    <message>
        <source>batch %1</source>
        <translation>Batch %1</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>noch %1</translation>
    </message>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 tok/s</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>In use: %1
Peak: %2
Limit: %3</source>
        <translation>Belegt: %1
Höchstwert: %2
Grenze: %3</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>%1 disk free</source>
        <translation>%1 frei</translation>
    </message>
</context>
<context>
    <name>batchwise::SavingProgress</name>
    <message>
        <source>Give up</source>
        <translation>Aufgeben</translation>
    </message>
    <message>
        <source>%1 Then the window closes.</source>
        <comment>what is done now</comment>
        <translation>%1 Danach schließt sich das Fenster.</translation>
    </message>
</context>
<context>
    <name>batchwise::SeriesChart</name>
    <message>
        <source>Chart: %1</source>
        <translation>Diagramm: %1</translation>
    </message>
    <message>
        <source>%1, smoothed</source>
        <translation>%1, geglättet</translation>
    </message>
</context>
<context>
    <name>batchwise::ShortcutWindow</name>
    <message>
        <source>everywhere</source>
        <translation>überall</translation>
    </message>
    <message>
        <source>while its list or chart has the focus</source>
        <translation>solange ihre Liste oder ihr Diagramm den Fokus hat</translation>
    </message>
    <message>
        <source>No keys</source>
        <translation>Keine Tasten</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>Befehl suchen</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Acts</source>
        <translation>Wirkt</translation>
    </message>
    <message>
        <source>Commands and their keys</source>
        <translation>Befehle und ihre Tasten</translation>
    </message>
    <message>
        <source>New keys of the selected command</source>
        <translation>Neue Tasten des gewählten Befehls</translation>
    </message>
    <message>
        <source>Press the new keys</source>
        <translation>Die neuen Tasten drücken</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>%1 belongs to “%2”. Take other keys, or change those of that command first.</source>
        <translation>%1 gehört zu „%2“. Andere Tasten nehmen oder zuerst die jenes Befehls ändern.</translation>
    </message>
</context>
<context>
    <name>batchwise::SlurmWindow</name>
    <message>
        <source>Slurm jobs</source>
        <translation>Slurm-Aufträge</translation>
    </message>
    <message>
        <source>the default of the cluster</source>
        <translation>die Vorgabe des Clusters</translation>
    </message>
    <message>
        <source>none, train on processors</source>
        <translation>keine, auf Prozessoren trainieren</translation>
    </message>
    <message>
        <source>Processes on each machine, one device each. With GPUs: one for each of them</source>
        <translation>Prozesse auf jedem Rechner, jeder mit einem Gerät. Mit GPUs: einer für jede</translation>
    </message>
    <message>
        <source>as the cluster has it</source>
        <translation>wie der Cluster es vorgibt</translation>
    </message>
    <message>
        <source>the limit of the partition</source>
        <translation>die Grenze der Partition</translation>
    </message>
    <message>
        <source>Minutes, h:mm:ss or d-hh:mm:ss. Shortly before, the run saves, and a further job goes on with it</source>
        <translation>Minuten, h:mm:ss oder t-hh:mm:ss. Kurz davor speichert der Lauf, und ein weiterer Auftrag macht weiter</translation>
    </message>
    <message>
        <source>as the cluster has it; for example 64G</source>
        <translation>wie der Cluster es vorgibt; zum Beispiel 64G</translation>
    </message>
    <message>
        <source>&amp;Partition</source>
        <translation>&amp;Partition</translation>
    </message>
    <message>
        <source>&amp;Machines</source>
        <translation>&amp;Rechner</translation>
    </message>
    <message>
        <source>&amp;GPUs on each</source>
        <translation>&amp;GPUs auf jedem</translation>
    </message>
    <message>
        <source>P&amp;rocesses on each</source>
        <translation>Pro&amp;zesse auf jedem</translation>
    </message>
    <message>
        <source>&amp;Cores of each process</source>
        <translation>&amp;Kerne je Prozess</translation>
    </message>
    <message>
        <source>&amp;Time limit of a job</source>
        <translation>&amp;Zeitgrenze eines Auftrags</translation>
    </message>
    <message>
        <source>M&amp;emory on each machine</source>
        <translation>&amp;Speicher je Rechner</translation>
    </message>
    <message>
        <source>&amp;Account</source>
        <translation>K&amp;onto</translation>
    </message>
    <message>
        <source>Use for launches</source>
        <translation>Für Starts verwenden</translation>
    </message>
    <message>
        <source>Asking the cluster for its partitions…</source>
        <translation>Der Cluster wird nach seinen Partitionen gefragt…</translation>
    </message>
    <message>
        <source>The time limit is &apos;%1&apos;; it takes minutes, h:mm:ss or d-hh:mm:ss</source>
        <translation>Die Zeitgrenze ist &apos;%1&apos;; erlaubt sind Minuten, h:mm:ss oder t-hh:mm:ss</translation>
    </message>
    <message>
        <source>unlimited</source>
        <translation>unbegrenzt</translation>
    </message>
    <message numerus="yes">
        <source>Partition %1: %n machine(s), time limit %2</source>
        <translation>
            <numerusform>Partition %1: %n Rechner, Zeitgrenze %2</numerusform>
            <numerusform>Partition %1: %n Rechner, Zeitgrenze %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>batchwise::StageModel</name>
    <message>
        <source>to the end</source>
        <translation>bis zum Ende</translation>
    </message>
    <message>
        <source>not reached</source>
        <translation>nicht erreicht</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>Up to %1 in a micro-batch × %2 micro-batches × %3 devices</source>
        <translation>Bis zu %1 in einem Mikrobatch × %2 Mikrobatches × %3 Geräte</translation>
    </message>
    <message>
        <source>%1
A step takes %2 samples, up to %3 tokens</source>
        <translation>%1
Ein Schritt nimmt %2 Beispiele, bis zu %3 Tokens</translation>
    </message>
    <message>
        <source>%1
A step takes %2 packs, about %3 samples and %4 tokens</source>
        <translation>%1
Ein Schritt nimmt %2 Pakete, etwa %3 Beispiele und %4 Tokens</translation>
    </message>
    <message>
        <source>The run ends before this stage</source>
        <translation>Der Lauf endet vor dieser Stufe</translation>
    </message>
    <message>
        <source>Global batches done when the stage begins</source>
        <translation>Erledigte globale Batches, wenn die Stufe beginnt</translation>
    </message>
    <message>
        <source>Global batches in the stage</source>
        <translation>Globale Batches in der Stufe</translation>
    </message>
    <message>
        <source>Optimizer steps in one global batch</source>
        <translation>Schritte des Optimierers in einem globalen Batch</translation>
    </message>
    <message>
        <source>Packs that one optimizer step takes, over all devices</source>
        <translation>Pakete, die ein Schritt des Optimierers über alle Geräte nimmt</translation>
    </message>
    <message>
        <source>Samples that one optimizer step takes, over all devices</source>
        <translation>Beispiele, die ein Schritt des Optimierers über alle Geräte nimmt</translation>
    </message>
    <message>
        <source>Tokens that one optimizer step takes, over all devices</source>
        <translation>Tokens, die ein Schritt des Optimierers über alle Geräte nimmt</translation>
    </message>
    <message>
        <source>Micro-batches of a step on each device, times the packs in one</source>
        <translation>Mikrobatches eines Schritts auf jedem Gerät, mal die Pakete in einem</translation>
    </message>
    <message>
        <source>Micro-batches of a step on each device, times the samples in one</source>
        <translation>Mikrobatches eines Schritts auf jedem Gerät, mal die Beispiele in einem</translation>
    </message>
    <message>
        <source>Optimizer steps in the stage</source>
        <translation>Schritte des Optimierers in der Stufe</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Batches</source>
        <translation>Batches</translation>
    </message>
    <message>
        <source>Parts</source>
        <translation>Teile</translation>
    </message>
    <message>
        <source>Packs</source>
        <translation>Pakete</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation>Mikrobatches</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
</context>
<context>
    <name>batchwise::TryPanel</name>
    <message>
        <source>Fill</source>
        <translation>Ausfüllen</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>Ausprobieren</translation>
    </message>
    <message>
        <source>Sentence with [MASK]</source>
        <translation>Satz mit [MASK]</translation>
    </message>
    <message>
        <source>A sentence with [MASK] in place of words, for example: the old dog [MASK] in the garden</source>
        <translation>Ein Satz mit [MASK] anstelle von Wörtern, zum Beispiel: the old dog [MASK] in the garden</translation>
    </message>
    <message>
        <source>Words for each [MASK]</source>
        <translation>Wörter für jedes [MASK]</translation>
    </message>
    <message>
        <source>[MASK]</source>
        <translation>[MASK]</translation>
    </message>
    <message>
        <source>Word</source>
        <translation>Wort</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Reading the checkpoint…</source>
        <translation>Der Checkpoint wird gelesen …</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Select a checkpoint</source>
        <translation>Einen Checkpoint wählen</translation>
    </message>
    <message>
        <source>The answer is being worked out</source>
        <translation>Die Antwort wird berechnet</translation>
    </message>
    <message>
        <source>The sentence needs [MASK] somewhere</source>
        <translation>Der Satz braucht irgendwo [MASK]</translation>
    </message>
    <message>
        <source>Ask the model of this checkpoint</source>
        <translation>Das Modell dieses Checkpoints fragen</translation>
    </message>
    <message>
        <source>Run to try beside this one</source>
        <translation>Lauf, der daneben ausprobiert wird</translation>
    </message>
    <message>
        <source>Asks the newest checkpoint of another run the same, for comparison</source>
        <translation>Fragt den neuesten Checkpoint eines anderen Laufs dasselbe, zum Vergleich</translation>
    </message>
    <message>
        <source>beside no other run</source>
        <translation>neben keinem anderen Lauf</translation>
    </message>
    <message>
        <source>beside %1</source>
        <translation>neben %1</translation>
    </message>
</context>
<context>
    <name>batchwise::CsvExportJobs</name>
    <message>
        <source>Saving %1…</source>
        <translation>%1 wird gespeichert …</translation>
    </message>
</context>
<context>
    <name>batchwise::WatchPage</name>
    <message>
        <source>batch %1 of %2</source>
        <translation>Batch %1 von %2</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Tokens</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>Verlust %1</translation>
    </message>
    <message>
        <source>evaluation %1</source>
        <translation>Auswertung %1</translation>
    </message>
    <message>
        <source>Values appear after the first global batch</source>
        <translation>Werte erscheinen nach dem ersten globalen Batch</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>GiB per device</source>
        <translation>GiB je Gerät</translation>
    </message>
    <message>
        <source>%1 (%2 while a chart has the focus)</source>
        <translation>%1 (%2, solange ein Diagramm den Fokus hat)</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>Einpassen</translation>
    </message>
    <message>
        <source>Shows everything. Wheel: zoom; drag: choose a part; Shift and drag: move; arrow keys: cursor; + and −: zoom</source>
        <translation>Zeigt alles. Rad: vergrößern; Ziehen: Ausschnitt wählen; Umschalt und Ziehen: verschieben; Pfeiltasten: Zeiger; + und −: vergrößern</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>Folgen</translation>
    </message>
    <message>
        <source>Goes along with the newest value, until the charts are moved</source>
        <translation>Geht mit dem neuesten Wert mit, bis die Diagramme bewegt werden</translation>
    </message>
    <message>
        <source>To the start</source>
        <translation>Zum Anfang</translation>
    </message>
    <message>
        <source>Shows the beginning of the run</source>
        <translation>Zeigt den Anfang des Laufs</translation>
    </message>
    <message>
        <source>Logarithmic value axes; each chart tells how many values it cannot show</source>
        <translation>Logarithmische Wertachsen; jedes Diagramm sagt, wie viele Werte es nicht zeigen kann</translation>
    </message>
    <message>
        <source>Clip spikes</source>
        <translation>Spitzen kappen</translation>
    </message>
    <message>
        <source>Lone spikes may lie outside: an arrow marks each, and the chart tells how many</source>
        <translation>Einzelne Spitzen dürfen außerhalb liegen: ein Pfeil zeigt jede an, und das Diagramm sagt, wie viele es sind</translation>
    </message>
    <message>
        <source>Next x axis</source>
        <translation>Nächste x-Achse</translation>
    </message>
    <message>
        <source>Draws the charts over the next clock</source>
        <translation>Zeichnet die Diagramme über die nächste Uhr</translation>
    </message>
    <message>
        <source>X axis of all charts</source>
        <translation>x-Achse aller Diagramme</translation>
    </message>
    <message>
        <source>What all charts are drawn over. The next one: X while a chart has the focus</source>
        <translation>Worüber alle Diagramme gezeichnet werden. Weiter mit X, solange ein Diagramm den Fokus hat</translation>
    </message>
    <message>
        <source>Whole run</source>
        <translation>Ganzer Lauf</translation>
    </message>
    <message>
        <source>The axes reach to the planned end of the run</source>
        <translation>Die Achsen reichen bis zum geplanten Ende des Laufs</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>Smoothing of the loss</source>
        <translation>Glättung des Verlusts</translation>
    </message>
    <message>
        <source>Weight of the values before in the thick line; the thin one shows every value</source>
        <translation>Gewicht der Werte davor in der dicken Linie; die dünne zeigt jeden Wert</translation>
    </message>
    <message>
        <source>The charts of a run will be here. Choose one on the left, or make one.</source>
        <translation>Hier stehen die Diagramme eines Laufs. Links einen wählen oder einen neuen machen.</translation>
    </message>
    <message>
        <source>New run</source>
        <translation>Neuer Lauf</translation>
    </message>
    <message>
        <source>Progress of the preparation</source>
        <translation>Fortschritt der Vorbereitung</translation>
    </message>
    <message>
        <source>Preparing %1. The charts appear with the first global batch.</source>
        <translation>%1 wird vorbereitet. Die Diagramme erscheinen mit dem ersten globalen Batch.</translation>
    </message>
    <message>
        <source>This run has no values of this kind</source>
        <translation>Dieser Lauf hat keine solchen Werte</translation>
    </message>
    <message>
        <source>The run has told nothing else yet</source>
        <translation>Der Lauf hat sonst noch nichts gemeldet</translation>
    </message>
    <message>
        <source>More charts</source>
        <translation>Weitere Diagramme</translation>
    </message>
    <message>
        <source>Chart anything else that the run has told</source>
        <translation>Alles andere, was der Lauf gemeldet hat, als Diagramm zeigen</translation>
    </message>
    <message>
        <source>More…</source>
        <translation>Mehr …</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>Wird geladen …</translation>
    </message>
    <message>
        <source>tags %1</source>
        <translation>Schlagwörter %1</translation>
    </message>
    <message>
        <source>Log scale</source>
        <translation>Logarithmisch</translation>
    </message>
    <message>
        <source>Export a chart of the run…</source>
        <translation>Ein Diagramm des Laufs ausgeben …</translation>
    </message>
</context>
<context>
    <name>batchwise::WelcomePage</name>
    <message>
        <source>Train a BERT and watch it learn</source>
        <translation>Ein BERT trainieren und beim Lernen zusehen</translation>
    </message>
    <message>
        <source>Runs will be listed on the left, with their loss, learning rate, batch size and memory here. The demo trains a tiny model on text it makes itself, in about a minute.</source>
        <translation>Links stehen die Läufe, hier ihr Verlust, ihre Lernrate, Batchgröße und ihr Speicher. Die Demo trainiert ein winziges Modell auf Text, den sie selbst macht, in etwa einer Minute.</translation>
    </message>
    <message>
        <source>Try the demo</source>
        <translation>Demo starten</translation>
    </message>
    <message>
        <source>New run from a file…</source>
        <translation>Neuer Lauf aus einer Datei …</translation>
    </message>
    <message>
        <source>Open workspace…</source>
        <translation>Arbeitsbereich öffnen …</translation>
    </message>
</context>
<context>
    <name>batchwise::WindowActions</name>
    <message>
        <source>&amp;New run</source>
        <translation>&amp;Neuer Lauf</translation>
    </message>
    <message>
        <source>Configure a run, beginning from the demo preset</source>
        <translation>Einen Lauf einstellen, ausgehend von der Demo</translation>
    </message>
    <message>
        <source>New run from a &amp;file…</source>
        <translation>Neuer Lauf aus einer &amp;Datei …</translation>
    </message>
    <message>
        <source>&amp;Duplicate the selected run</source>
        <translation>Gewählten Lauf &amp;duplizieren</translation>
    </message>
    <message>
        <source>Configure a run like the selected one; Edit tells in what they differ</source>
        <translation>Einen Lauf wie den gewählten einstellen; Bearbeiten sagt, worin sie sich unterscheiden</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Open &amp;workspace…</source>
        <translation>&amp;Arbeitsbereich öffnen …</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Launch</source>
        <translation>&amp;Starten</translation>
    </message>
    <message>
        <source>Add to the &amp;queue</source>
        <translation>In die &amp;Warteschlange</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Pause</translation>
    </message>
    <message>
        <source>Stop after the &amp;global batch</source>
        <translation>Nach dem &amp;globalen Batch anhalten</translation>
    </message>
    <message>
        <source>&amp;Stop and save</source>
        <translation>An&amp;halten und sichern</translation>
    </message>
    <message>
        <source>Stop &amp;without saving</source>
        <translation>&amp;Ohne Sichern anhalten</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>Train in &amp;this program</source>
        <translation>In &amp;diesem Programm trainieren</translation>
    </message>
    <message>
        <source>Ends when the window is closed. One run at a time; the next ones get their own process</source>
        <translation>Endet, wenn das Fenster geschlossen wird. Ein Lauf zur Zeit; die nächsten bekommen ihren eigenen Prozess</translation>
    </message>
    <message>
        <source>Train in its &amp;own process</source>
        <translation>Im &amp;eigenen Prozess trainieren</translation>
    </message>
    <message>
        <source>Goes on when the window is closed, and the window survives whatever happens to the run</source>
        <translation>Geht weiter, wenn das Fenster geschlossen wird, und das Fenster übersteht, was auch immer dem Lauf geschieht</translation>
    </message>
    <message>
        <source>&amp;Find a command…</source>
        <translation>Befehl &amp;suchen …</translation>
    </message>
    <message>
        <source>Find a command, a run or a setting</source>
        <translation>Befehl, Lauf oder Einstellung suchen</translation>
    </message>
    <message>
        <source>&amp;Help on this page</source>
        <translation>&amp;Hilfe zu dieser Seite</translation>
    </message>
    <message>
        <source>&amp;Manual</source>
        <translation>Hand&amp;buch</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts…</source>
        <translation>&amp;Tastenkürzel …</translation>
    </message>
    <message>
        <source>&amp;About Batchwise</source>
        <translation>&amp;Über Batchwise</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>Chan&amp;ges</source>
        <translation>Ä&amp;nderungen</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Lauf</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>Train on the S&amp;lurm cluster</source>
        <translation>Auf dem S&amp;lurm-Cluster trainieren</translation>
    </message>
    <message>
        <source>Submits a job, and follows it. It goes on when the window is closed, and the next window follows it</source>
        <translation>Übergibt einen Auftrag und verfolgt ihn. Er läuft weiter, wenn das Fenster geschlossen wird, und das nächste Fenster verfolgt ihn</translation>
    </message>
    <message>
        <source>Slurm &amp;job…</source>
        <translation>Slurm-&amp;Auftrag…</translation>
    </message>
    <message>
        <source>Partition, machines, GPUs and time limit of the jobs</source>
        <translation>Partition, Rechner, GPUs und Zeitgrenze der Aufträge</translation>
    </message>
    <message>
        <source>&amp;Continue</source>
        <translation>&amp;Fortfahren</translation>
    </message>
    <message>
        <source>&amp;Save the configuration…</source>
        <translation>Konfiguration &amp;speichern …</translation>
    </message>
    <message>
        <source>Write the configuration under Edit to a file, for the next window or the command line</source>
        <translation>Schreibt die Konfiguration unter Bearbeiten in eine Datei, für das nächste Fenster oder die Befehlszeile</translation>
    </message>
    <message>
        <source>&amp;Import a run…</source>
        <translation>Lauf &amp;importieren …</translation>
    </message>
    <message>
        <source>Take in a run that was exported here or on another machine</source>
        <translation>Nimmt einen Lauf auf, der hier oder auf einem anderen Rechner exportiert wurde</translation>
    </message>
    <message>
        <source>E&amp;xport the selected run…</source>
        <translation>Gewählten Lauf e&amp;xportieren …</translation>
    </message>
    <message>
        <source>Write the run with its values, its log and its newest checkpoint to one file</source>
        <translation>Schreibt den Lauf mit seinen Werten, seinem Protokoll und seinem neuesten Checkpoint in eine Datei</translation>
    </message>
    <message>
        <source>New run from another &amp;trainer&apos;s file…</source>
        <translation>Neuer Lauf aus der Datei eines anderen &amp;Trainers …</translation>
    </message>
    <message>
        <source>Turn a configuration of Composer, torchtune or DeepSpeed into one of this program</source>
        <translation>Macht aus einer Konfiguration von Composer, torchtune oder DeepSpeed eine dieses Programms</translation>
    </message>
</context>
<context>
    <name>batchwise::WindowDocks</name>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message numerus="yes">
        <source>Queue: %n waiting</source>
        <translation>
            <numerusform>Warteschlange: %n wartet</numerusform>
            <numerusform>Warteschlange: %n warten</numerusform>
        </translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>Warnungen</translation>
    </message>
    <message numerus="yes">
        <source>Alerts: %n new</source>
        <translation>
            <numerusform>Warnungen: %n neue</numerusform>
            <numerusform>Warnungen: %n neue</numerusform>
        </translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Memory of the devices of the selected run</source>
        <translation>Speicher der Geräte des gewählten Laufs</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Log of the selected run</source>
        <translation>Protokoll des gewählten Laufs</translation>
    </message>
    <message>
        <source>Copy the log</source>
        <translation>Protokoll kopieren</translation>
    </message>
</context>
<context>
    <name>batchwise::WindowHelp</name>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Run, %1</source>
        <comment>%1: its state</comment>
        <translation>Lauf, %1</translation>
    </message>
    <message>
        <source>Setting %1</source>
        <comment>%1: its name in the file</comment>
        <translation>Einstellung %1</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>Anordnung</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>License</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>What the program is made of</source>
        <translation>Woraus das Programm besteht</translation>
    </message>
    <message>
        <source>Text of the license</source>
        <translation>Text der Lizenz</translation>
    </message>
    <message>
        <source>About Batchwise</source>
        <translation>Über Batchwise</translation>
    </message>
    <message>
        <source>Batchwise %1</source>
        <translation>Batchwise %1</translation>
    </message>
    <message>
        <source>Trains BERT with batch size as a schedule. Free software under the GNU General Public License, version 3 or later, with the permission to link CUDA, cuDNN, NCCL and MKL.</source>
        <translation>Trainiert BERT mit der Batchgröße als Plan. Freie Software unter der GNU General Public License, Version 3 oder später, mit der Erlaubnis, CUDA, cuDNN, NCCL und MKL einzubinden.</translation>
    </message>
    <message>
        <source>Made of</source>
        <translation>Bestandteile</translation>
    </message>
    <message>
        <source>Copy the versions</source>
        <translation>Versionen kopieren</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>batchwise::WorkspacePresenter</name>
    <message>
        <source>There is no workspace in %1 any more. Is its disk mounted?</source>
        <translation>In %1 ist kein Arbeitsbereich mehr. Ist die Platte eingehängt?</translation>
    </message>
</context>
<context>
    <name>batchwise::YamlEditor</name>
    <message>
        <source>Configuration as YAML text</source>
        <translation>Konfiguration als YAML-Text</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>und %n weiterer</numerusform>
            <numerusform>und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>Line %1: </source>
        <translation>Zeile %1: </translation>
    </message>
</context>
<context>
    <name>Dialogs</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source> cm</source>
        <translation> cm</translation>
    </message>
    <message>
        <source>Size of the picture</source>
        <translation>Größe des Bildes</translation>
    </message>
    <message>
        <source> dots per inch</source>
        <translation> Punkte je Zoll</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Ausgeben …</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Höhe</translation>
    </message>
    <message>
        <source>For PNG</source>
        <translation>Für PNG</translation>
    </message>
    <message>
        <source>%1 × %2 cm…</source>
        <translation>%1 × %2 cm …</translation>
    </message>
    <message>
        <source>Own size…</source>
        <translation>Eigene Größe …</translation>
    </message>
</context>
<context>
    <name>ViewMenu</name>
    <message>
        <source>&amp;Appearance</source>
        <translation>&amp;Erscheinung</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>&amp;System</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>&amp;Text size</source>
        <translation>&amp;Schriftgröße</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <comment>language of the desktop</comment>
        <translation>&amp;System</translation>
    </message>
    <message>
        <source>La&amp;nguage</source>
        <translation>&amp;Sprache</translation>
    </message>
</context>
<context>
    <name>batchwise::ChartExport</name>
    <message>
        <source>Values: %1</source>
        <translation>Werte: %1</translation>
    </message>
    <message>
        <source>The first %1 rows of the shown part. Zoom in for others, or save the values.</source>
        <translation>Die ersten %1 Zeilen des gezeigten Teils. Für andere näher herangehen, oder die Werte sichern.</translation>
    </message>
    <message numerus="yes">
        <source>%n row(s) of the shown part</source>
        <translation>
            <numerusform>%n Zeile des gezeigten Teils</numerusform>
            <numerusform>%n Zeilen des gezeigten Teils</numerusform>
        </translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>Bild sichern</translation>
    </message>
    <message>
        <source>Save values of the shown part…</source>
        <translation>Werte des gezeigten Teils sichern …</translation>
    </message>
    <message>
        <source>Save all values…</source>
        <translation>Alle Werte sichern …</translation>
    </message>
    <message>
        <source>Show values as a table</source>
        <translation>Werte als Tabelle zeigen</translation>
    </message>
    <message>
        <source>Drawing (*.svg);;Document (*.pdf);;Picture (*.png)</source>
        <translation>Zeichnung (*.svg);;Dokument (*.pdf);;Bild (*.png)</translation>
    </message>
    <message>
        <source>Save values</source>
        <translation>Werte sichern</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
</context>
<context>
    <name>batchwise::RunMessages</name>
    <message>
        <source>Run %1</source>
        <translation>Lauf %1</translation>
    </message>
    <message>
        <source>Run %1 is waiting</source>
        <translation>Lauf %1 wartet</translation>
    </message>
    <message>
        <source>Run %1: %2</source>
        <translation>Lauf %1: %2</translation>
    </message>
</context>
<context>
    <name>batchwise::ShownRun</name>
    <message>
        <source>Run %1 was imported</source>
        <translation>Lauf %1 wurde übernommen</translation>
    </message>
    <message>
        <source>Run %1 was imported into %2</source>
        <translation>Lauf %1 wurde in %2 eingelesen</translation>
    </message>
</context>
</TS>
