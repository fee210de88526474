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
        <source>%1 has used %2 of its %3</source>
        <comment>a device, its peak, its memory</comment>
        <translation>%1 hat %2 von %3 belegt</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>what happened and why</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Loss spike</source>
        <translation>Verlustspitze</translation>
    </message>
    <message>
        <source>Loss spike: %1, above the limit of %2</source>
        <translation>Verlustspitze: %1, über der Grenze von %2</translation>
    </message>
    <message>
        <source>The loss no longer falls: %1 now, %2 before</source>
        <translation>Der Verlust fällt nicht mehr: jetzt %1, davor %2</translation>
    </message>
    <message>
        <source>The speed has fallen: %1 tok/s now, usually %2 tok/s</source>
        <translation>Die Geschwindigkeit ist gefallen: jetzt %1 tok/s, sonst %2 tok/s</translation>
    </message>
    <message>
        <source>%1 free on the disk of the workspace</source>
        <translation>Noch %1 frei auf der Platte des Arbeitsbereichs</translation>
    </message>
</context>
<context>
    <name>CardTexts</name>
    <message>
        <source>%1, smoothed</source>
        <translation>%1, geglättet</translation>
    </message>
</context>
<context>
    <name>ChartExport</name>
    <message>
        <source>lines with dots: evaluation</source>
        <translation>Linien mit Punkten: Auswertung</translation>
    </message>
    <message>
        <source>thin lines: single runs</source>
        <translation>dünne Linien: einzelne Läufe</translation>
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
    <message>
        <source>%1, %2</source>
        <comment>a line and its values</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1, lower bound</source>
        <translation>%1, untere Grenze</translation>
    </message>
    <message>
        <source>%1, upper bound</source>
        <translation>%1, obere Grenze</translation>
    </message>
</context>
<context>
    <name>ChoiceLabels</name>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>Single tokens</source>
        <translation>Einzelne Tokens</translation>
    </message>
    <message>
        <source>No rounding</source>
        <translation>Kein Runden</translation>
    </message>
    <message>
        <source>No bound</source>
        <translation>Keine Grenze</translation>
    </message>
    <message>
        <source>GELU, tanh form</source>
        <translation>GELU, tanh-Form</translation>
    </message>
    <message>
        <source>After each sublayer</source>
        <translation>Nach jeder Teilschicht</translation>
    </message>
    <message>
        <source>Before each sublayer</source>
        <translation>Vor jeder Teilschicht</translation>
    </message>
    <message>
        <source>Byte-level BPE</source>
        <translation>BPE auf Bytes</translation>
    </message>
    <message>
        <source>By blank lines</source>
        <translation>Durch Leerzeilen</translation>
    </message>
    <message>
        <source>One per line</source>
        <translation>Eines je Zeile</translation>
    </message>
    <message>
        <source>One JSON object per line</source>
        <translation>Ein JSON-Objekt je Zeile</translation>
    </message>
    <message>
        <source>Generated text</source>
        <translation>Erzeugter Text</translation>
    </message>
    <message>
        <source>Whole words</source>
        <translation>Ganze Wörter</translation>
    </message>
    <message>
        <source>Power of two</source>
        <translation>Zweierpotenz</translation>
    </message>
    <message>
        <source>Doubling</source>
        <translation>Verdoppelung</translation>
    </message>
    <message>
        <source>Largest without accumulation</source>
        <translation>Größter ohne Akkumulation</translation>
    </message>
    <message>
        <source>Order of the epoch</source>
        <translation>Reihenfolge der Epoche</translation>
    </message>
    <message>
        <source>Random order</source>
        <translation>Zufällige Reihenfolge</translation>
    </message>
    <message>
        <source>By length</source>
        <translation>Nach Länge</translation>
    </message>
    <message>
        <source>In order</source>
        <translation>Der Reihe nach</translation>
    </message>
    <message>
        <source>Best fit</source>
        <translation>Beste Passung</translation>
    </message>
    <message>
        <source>Real tokens</source>
        <translation>Echte Tokens</translation>
    </message>
    <message>
        <source>Padded tokens</source>
        <translation>Aufgefüllte Tokens</translation>
    </message>
    <message>
        <source>Train on it</source>
        <translation>Trainieren</translation>
    </message>
    <message>
        <source>Leave it out</source>
        <translation>Auslassen</translation>
    </message>
    <message>
        <source>Constant</source>
        <translation>Konstant</translation>
    </message>
    <message>
        <source>Steps of equal length</source>
        <translation>Stufen gleicher Länge</translation>
    </message>
    <message>
        <source>Steps at milestones</source>
        <translation>Stufen an Meilensteinen</translation>
    </message>
    <message>
        <source>Exponential</source>
        <translation>Exponentiell</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>Cosine annealing</source>
        <translation>Kosinusabfall</translation>
    </message>
    <message>
        <source>Cosine annealing, restarted</source>
        <translation>Kosinusabfall, mit Neustarts</translation>
    </message>
    <message>
        <source>Polynomial</source>
        <translation>Polynomiell</translation>
    </message>
    <message>
        <source>Steps at milestones, warm-up</source>
        <translation>Stufen an Meilensteinen, Aufwärmen</translation>
    </message>
    <message>
        <source>Constant, warm-up</source>
        <translation>Konstant, Aufwärmen</translation>
    </message>
    <message>
        <source>Linear, warm-up</source>
        <translation>Linear, Aufwärmen</translation>
    </message>
    <message>
        <source>Cosine annealing, warm-up</source>
        <translation>Kosinusabfall, Aufwärmen</translation>
    </message>
    <message>
        <source>Polynomial, warm-up</source>
        <translation>Polynomiell, Aufwärmen</translation>
    </message>
    <message>
        <source>Inverse square root</source>
        <translation>Inverse Quadratwurzel</translation>
    </message>
    <message>
        <source>Warm-up, stable, decay</source>
        <translation>Aufwärmen, gleichbleibend, Abfall</translation>
    </message>
    <message>
        <source>Constant, then 1 − square root</source>
        <translation>Konstant, dann 1 − Quadratwurzel</translation>
    </message>
    <message>
        <source>Cosine, then inverse square root</source>
        <translation>Kosinus, dann inverse Quadratwurzel</translation>
    </message>
    <message>
        <source>Expression</source>
        <translation>Ausdruck</translation>
    </message>
    <message>
        <source>Chain of schedules</source>
        <translation>Kette von Plänen</translation>
    </message>
    <message>
        <source>1 − square root</source>
        <translation>1 − Quadratwurzel</translation>
    </message>
    <message>
        <source>0</source>
        <translation>0</translation>
    </message>
    <message>
        <source>1/n</source>
        <translation>1/n</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>Square root</source>
        <translation>Quadratwurzel</translation>
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
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>Skip the step</source>
        <translation>Schritt überspringen</translation>
    </message>
    <message>
        <source>Roll back</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>Immer</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>Nie</translation>
    </message>
</context>
<context>
    <name>DeskCharts</name>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>GiB per device</source>
        <translation>GiB je Gerät</translation>
    </message>
    <message>
        <source>unigram baseline</source>
        <translation>Unigramm-Vergleichswert</translation>
    </message>
    <message>
        <source>%1, difference</source>
        <translation>%1, Unterschied</translation>
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
        <source>in use</source>
        <translation>verwendet</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>before clipping</source>
        <translation>vor dem Begrenzen</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>geplant</translation>
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
        <source>used by all programs</source>
        <translation>von allen Programmen belegt</translation>
    </message>
    <message>
        <source>used</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>end of an epoch</source>
        <translation>Ende einer Epoche</translation>
    </message>
    <message>
        <source>%1 (n = %2)</source>
        <translation>%1 (n = %2)</translation>
    </message>
    <message numerus="yes">
        <source>smoothed over about %n global batch(es)</source>
        <translation>
            <numerusform>über etwa %n globalen Batch geglättet</numerusform>
            <numerusform>über etwa %n globale Batches geglättet</numerusform>
        </translation>
    </message>
    <message>
        <source>tick a second run</source>
        <translation>einen zweiten Lauf anhaken</translation>
    </message>
    <message>
        <source>band: standard error</source>
        <translation>Band: Standardfehler</translation>
    </message>
    <message>
        <source>Batch size from %1 to %2 samples per step</source>
        <translation>Batchgröße von %1 auf %2 Beispiele je Schritt</translation>
    </message>
    <message>
        <source>band: standard deviation</source>
        <translation>Band: Standardabweichung</translation>
    </message>
    <message>
        <source>band: 95 % confidence</source>
        <translation>Band: 95 % Konfidenz</translation>
    </message>
    <message>
        <source>mean norm of the steps</source>
        <translation>mittlere Norm der Schritte</translation>
    </message>
    <message>
        <source>largest norm of the steps</source>
        <translation>größte Norm der Schritte</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>größte</translation>
    </message>
    <message>
        <source>epoch end</source>
        <translation>Epochenende</translation>
    </message>
    <message>
        <source>smoothed over %1</source>
        <translation>geglättet über %1</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) without values of this axis left out</source>
        <translation>
            <numerusform>%n Lauf ohne Werte dieser Achse fehlt</numerusform>
            <numerusform>%n Läufe ohne Werte dieser Achse fehlen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left out</source>
        <translation>
            <numerusform>%n fehlt</numerusform>
            <numerusform>%n fehlen</numerusform>
        </translation>
    </message>
    <message>
        <source>the runs have seen unequal numbers of tokens</source>
        <translation>die Läufe haben ungleich viele Tokens gesehen</translation>
    </message>
</context>
<context>
    <name>DeskLayouts</name>
    <message>
        <source>Schedule</source>
        <translation>Lernratenplan</translation>
    </message>
    <message>
        <source>Speed and memory</source>
        <translation>Geschwindigkeit und Speicher</translation>
    </message>
    <message>
        <source>Difference to the baseline</source>
        <translation>Unterschied zur Basis</translation>
    </message>
    <message>
        <source>Small multiples</source>
        <translation>Ein Diagramm je Lauf</translation>
    </message>
    <message>
        <source>Training overview</source>
        <translation>Training</translation>
    </message>
</context>
<context>
    <name>Dialogs</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Replace the file?</source>
        <translation>Datei ersetzen?</translation>
    </message>
    <message>
        <source>%1 already exists.</source>
        <translation>%1 gibt es schon.</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source> cm</source>
        <translation> cm</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>Exportieren …</translation>
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
        <source>%1 × %2 cm…</source>
        <translation>%1 × %2 cm …</translation>
    </message>
    <message>
        <source>Picture size</source>
        <translation>Bildgröße</translation>
    </message>
    <message>
        <source> dpi</source>
        <translation> dpi</translation>
    </message>
    <message>
        <source>Custom size…</source>
        <translation>Eigene Größe …</translation>
    </message>
    <message>
        <source>PNG resolution</source>
        <translation>PNG-Auflösung</translation>
    </message>
</context>
<context>
    <name>FailureTexts</name>
    <message>
        <source>Free some space on the disk first.</source>
        <translation>Zuerst Platz auf der Platte schaffen.</translation>
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
        <source>%1 %2</source>
        <comment>what to change, what to do then</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>It needs less memory with a smaller “%1”, with “%2”, or, under a token budget, with a smaller “%3”. The first two do not change the global batch.</source>
        <translation>Weniger Speicher braucht er mit einem kleineren Wert für „%1“, mit „%2“ oder, unter einem Tokenbudget, mit einem kleineren Wert für „%3“. Die ersten beiden ändern den globalen Batch nicht.</translation>
    </message>
    <message>
        <source>One of its processes or machines is gone. Make sure that all of them are available.</source>
        <translation>Einer seiner Prozesse oder Rechner ist ausgefallen. Dafür sorgen, dass alle verfügbar sind.</translation>
    </message>
    <message>
        <source>Put the file back, or set its new location: “%1” and “%2” for text, “%3” for the vocabulary.</source>
        <translation>Die Datei zurücklegen oder ihren neuen Ort angeben: „%1“ und „%2“ für Text, „%3“ für das Vokabular.</translation>
    </message>
    <message>
        <source>Replace the damaged file, for example from a backup.</source>
        <translation>Die beschädigte Datei ersetzen, zum Beispiel aus einer Sicherung.</translation>
    </message>
    <message>
        <source>If the device fails again, check its driver or choose another device under “%1”.</source>
        <translation>Versagt das Gerät noch einmal, seinen Treiber prüfen oder unter „%1“ ein anderes Gerät wählen.</translation>
    </message>
    <message>
        <source>Then launch it again: it has no checkpoint to resume from.</source>
        <translation>Dann neu starten: Es gibt keinen Checkpoint, von dem er sich fortsetzen ließe.</translation>
    </message>
    <message>
        <source>Then resume it from a checkpoint that is older than the problem.</source>
        <translation>Dann den Lauf von einem Checkpoint fortsetzen, der älter ist als das Problem.</translation>
    </message>
    <message>
        <source>Then resume it: everything up to its newest checkpoint is saved.</source>
        <translation>Dann den Lauf fortsetzen: Alles bis zum neuesten Checkpoint ist gesichert.</translation>
    </message>
    <message>
        <source>The log shows what happened before.</source>
        <translation>Das Protokoll zeigt, was davor geschah.</translation>
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
        <source>Factor at the end</source>
        <translation>Faktor am Ende</translation>
    </message>
    <message>
        <source>Factor at the start</source>
        <translation>Faktor am Anfang</translation>
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
        <source>Global batch size</source>
        <translation>Globale Batchgröße</translation>
    </message>
    <message>
        <source>Micro-batch per device</source>
        <translation>Mikrobatch je Gerät</translation>
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
        <source>Token budget: tokens per pack</source>
        <translation>Tokenbudget: Tokens je Paket</translation>
    </message>
    <message>
        <source>Token budget: order</source>
        <translation>Tokenbudget: Reihenfolge</translation>
    </message>
    <message>
        <source>Token budget: packing</source>
        <translation>Tokenbudget: Packen</translation>
    </message>
    <message>
        <source>Token budget: small packs</source>
        <translation>Tokenbudget: kleine Pakete</translation>
    </message>
    <message>
        <source>Token budget: cached lengths</source>
        <translation>Tokenbudget: gespeicherte Längen</translation>
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
        <source>Loss spike: window</source>
        <translation>Verlustspitze: Fenster</translation>
    </message>
    <message>
        <source>Plateau: window</source>
        <translation>Plateau: Fenster</translation>
    </message>
    <message>
        <source>Gradient norm: limit</source>
        <translation>Gradientennorm: Grenze</translation>
    </message>
    <message>
        <source>Attention logit: limit</source>
        <translation>Attention-Logit: Grenze</translation>
    </message>
    <message>
        <source>Early stop: metric</source>
        <translation>Früher Stopp: Messgröße</translation>
    </message>
    <message>
        <source>Early stop: patience</source>
        <translation>Früher Stopp: Geduld</translation>
    </message>
    <message>
        <source>Journal instead of database</source>
        <translation>Journal statt Datenbank</translation>
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
        <source>Intermediate size</source>
        <translation>Zwischengröße</translation>
    </message>
    <message>
        <source>Layer drop</source>
        <translation>Schichten auslassen</translation>
    </message>
    <message>
        <source>Tie word embeddings</source>
        <translation>Embeddings teilen</translation>
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
        <source>Step size</source>
        <translation>Schrittgröße</translation>
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
        <source>Lowercase</source>
        <translation>Kleinschreibung</translation>
    </message>
    <message>
        <source>Seed of the demo text</source>
        <translation>Startwert des Demotextes</translation>
    </message>
    <message>
        <source>Adaptive growth: new size</source>
        <translation>Adaptives Wachstum: neue Größe</translation>
    </message>
    <message>
        <source>Adaptive growth: increment</source>
        <translation>Adaptives Wachstum: Zuwachs</translation>
    </message>
    <message>
        <source>Adaptive growth: bound</source>
        <translation>Adaptives Wachstum: Grenze</translation>
    </message>
    <message>
        <source>Adaptive growth: may shrink</source>
        <translation>Adaptives Wachstum: Verkleinern erlaubt</translation>
    </message>
    <message>
        <source>Seed of the evaluation masks</source>
        <translation>Startwert der Auswertungsmasken</translation>
    </message>
    <message>
        <source>Share of masked tokens in evaluation</source>
        <translation>Anteil maskierter Tokens in der Auswertung</translation>
    </message>
    <message>
        <source>Loss spike: action</source>
        <translation>Verlustspitze: Aktion</translation>
    </message>
    <message>
        <source>Plateau: action</source>
        <translation>Plateau: Aktion</translation>
    </message>
    <message>
        <source>Gradient norm: action</source>
        <translation>Gradientennorm: Aktion</translation>
    </message>
    <message>
        <source>Attention logit: action</source>
        <translation>Attention-Logit: Aktion</translation>
    </message>
    <message>
        <source>Early stop: action</source>
        <translation>Früher Stopp: Aktion</translation>
    </message>
    <message>
        <source>Hang: action</source>
        <translation>Hänger: Aktion</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>Variant</source>
        <translation>Variante</translation>
    </message>
    <message>
        <source>Values that advance together</source>
        <translation>Gemeinsam fortschreitende Werte</translation>
    </message>
    <message>
        <source>Ramp-up</source>
        <translation>Anstieg</translation>
    </message>
    <message>
        <source>Adaptive growth</source>
        <translation>Adaptives Wachstum</translation>
    </message>
    <message>
        <source>Token budget</source>
        <translation>Tokenbudget</translation>
    </message>
    <message>
        <source>Loss spike</source>
        <translation>Verlustspitze</translation>
    </message>
    <message>
        <source>Plateau</source>
        <translation>Plateau</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>Attention logit</source>
        <translation>Attention-Logit</translation>
    </message>
    <message>
        <source>Early stop</source>
        <translation>Früher Stopp</translation>
    </message>
    <message>
        <source>Hang</source>
        <translation>Hänger</translation>
    </message>
    <message>
        <source>Starts at</source>
        <translation>Beginnt bei</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>Schedule length</source>
        <translation>Länge des Plans</translation>
    </message>
    <message>
        <source>Intermediate factor</source>
        <translation>Zwischenfaktor</translation>
    </message>
    <message>
        <source>Period growth factor</source>
        <translation>Wachstumsfaktor der Periode</translation>
    </message>
    <message>
        <source>Layer norm position</source>
        <translation>Position der Layer-Norm</translation>
    </message>
    <message>
        <source>Memory reserve</source>
        <translation>Speicherreserve</translation>
    </message>
    <message>
        <source>Micro-batch rounding</source>
        <translation>Rundung des Mikrobatches</translation>
    </message>
    <message>
        <source>Ramp-up: custom stages</source>
        <translation>Anstieg: eigene Stufen</translation>
    </message>
    <message>
        <source>Adaptive growth: evaluated every</source>
        <translation>Adaptives Wachstum: berechnet alle</translation>
    </message>
    <message>
        <source>Token budget: minimum sequences</source>
        <translation>Tokenbudget: Mindestzahl der Sequenzen</translation>
    </message>
    <message>
        <source>Token budget: maximum sequences</source>
        <translation>Tokenbudget: Höchstzahl der Sequenzen</translation>
    </message>
    <message>
        <source>Token budget: counted tokens</source>
        <translation>Tokenbudget: gezählte Tokens</translation>
    </message>
    <message>
        <source>Evaluation micro-batch</source>
        <translation>Mikrobatch der Auswertung</translation>
    </message>
    <message>
        <source>Loss spike: threshold</source>
        <translation>Verlustspitze: Schwelle</translation>
    </message>
    <message>
        <source>Plateau: minimum decrease</source>
        <translation>Plateau: Mindestabnahme</translation>
    </message>
    <message>
        <source>Update-to-weight ratio: action</source>
        <translation>Änderung zu Gewicht: Aktion</translation>
    </message>
    <message>
        <source>Update-to-weight ratio: limit</source>
        <translation>Änderung zu Gewicht: Grenze</translation>
    </message>
    <message>
        <source>Early stop: minimum improvement</source>
        <translation>Früher Stopp: Mindestverbesserung</translation>
    </message>
    <message>
        <source>Hang: minimum limit</source>
        <translation>Hänger: Mindestgrenze</translation>
    </message>
    <message>
        <source>Hang: multiple of the median</source>
        <translation>Hänger: Vielfaches des Medians</translation>
    </message>
    <message>
        <source>Wall-clock limit</source>
        <translation>Zeitgrenze des Prozesses</translation>
    </message>
    <message>
        <source>Consecutive skipped steps allowed</source>
        <translation>Erlaubte übersprungene Schritte in Folge</translation>
    </message>
    <message>
        <source>Metric for the best</source>
        <translation>Messgröße für die besten</translation>
    </message>
    <message>
        <source>Rows for every step</source>
        <translation>Zeilen für jeden Schritt</translation>
    </message>
    <message>
        <source>Gradient noise scale</source>
        <translation>Rauschskala des Gradienten</translation>
    </message>
    <message>
        <source>Initial weight deviation</source>
        <translation>Streuung der Anfangswerte</translation>
    </message>
    <message>
        <source>Maximum positions</source>
        <translation>Höchstzahl der Positionen</translation>
    </message>
    <message>
        <source>Attention heads</source>
        <translation>Attention-Köpfe</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Segment types</source>
        <translation>Segmenttypen</translation>
    </message>
    <message>
        <source>Schedule stretch factor</source>
        <translation>Streckung der Zeitpläne</translation>
    </message>
    <message>
        <source>Cool-down shape</source>
        <translation>Form des Ausklangs</translation>
    </message>
    <message>
        <source>Decay exponent</source>
        <translation>Exponent des Abfalls</translation>
    </message>
    <message>
        <source>Stretch warm-up</source>
        <translation>Aufwärmen strecken</translation>
    </message>
    <message>
        <source>Warm-up from</source>
        <translation>Aufwärmen ab</translation>
    </message>
    <message>
        <source>Initial warm-up rate</source>
        <translation>Rate am Anfang des Aufwärmens</translation>
    </message>
    <message>
        <source>Warm-up shape</source>
        <translation>Form des Aufwärmens</translation>
    </message>
    <message>
        <source>Cool-down length</source>
        <translation>Länge des Ausklangs</translation>
    </message>
    <message>
        <source>Update-to-weight ratio</source>
        <translation>Änderung zu Gewicht</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>Familie</translation>
    </message>
    <message>
        <source>Tile the weights of</source>
        <translation>Gewichte wiederholen aus</translation>
    </message>
    <message>
        <source>Key and value heads</source>
        <translation>Key- und Value-Köpfe</translation>
    </message>
    <message>
        <source>Global attention every</source>
        <translation>Globale Attention alle</translation>
    </message>
    <message>
        <source>Local attention window</source>
        <translation>Fenster der lokalen Attention</translation>
    </message>
    <message>
        <source>RoPE base</source>
        <translation>RoPE-Basis</translation>
    </message>
    <message>
        <source>RoPE base of local layers</source>
        <translation>RoPE-Basis der lokalen Schichten</translation>
    </message>
    <message>
        <source>Pad vocabulary to a multiple of</source>
        <translation>Vokabular aufrunden auf ein Vielfaches von</translation>
    </message>
    <message>
        <source>Extend the vocabulary</source>
        <translation>Vokabular erweitern</translation>
    </message>
    <message>
        <source>New vocabulary</source>
        <translation>Neues Vokabular</translation>
    </message>
    <message>
        <source>New vocabulary: kind</source>
        <translation>Neues Vokabular: Art</translation>
    </message>
    <message>
        <source>New vocabulary: size</source>
        <translation>Neues Vokabular: Größe</translation>
    </message>
    <message>
        <source>Share of masked tokens at the end</source>
        <translation>Anteil maskierter Tokens am Ende</translation>
    </message>
    <message>
        <source>Masked together</source>
        <translation>Gemeinsam maskiert</translation>
    </message>
    <message>
        <source>Separator between documents</source>
        <translation>Trennzeichen zwischen Dokumenten</translation>
    </message>
    <message>
        <source>Attention across documents</source>
        <translation>Attention über Dokumente hinweg</translation>
    </message>
    <message>
        <source>Stages of the run</source>
        <translation>Phasen des Laufs</translation>
    </message>
    <message>
        <source>Decay independent of the peak rate</source>
        <translation>Zerfall unabhängig von der höchsten Rate</translation>
    </message>
    <message>
        <source>Decay shape</source>
        <translation>Form des Abfalls</translation>
    </message>
    <message>
        <source>Named evaluation sets</source>
        <translation>Benannte Auswertungstexte</translation>
    </message>
</context>
<context>
    <name>LegendTexts</name>
    <message>
        <source>+%1 more</source>
        <translation>+%1 weitere</translation>
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
        <source>Expected duration</source>
        <translation>Erwartete Dauer</translation>
    </message>
    <message>
        <source>%1, at %2 tok/s by run %3</source>
        <translation>%1, bei %2 tok/s nach Lauf %3</translation>
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
        <source>Weights: %1</source>
        <translation>Gewichte: %1</translation>
    </message>
    <message>
        <source>Gradients: %1</source>
        <translation>Gradienten: %1</translation>
    </message>
    <message>
        <source>Head, with a chunk of logits: %1</source>
        <translation>Kopf, mit einem Stück der Logits: %1</translation>
    </message>
    <message>
        <source>Micro-batch: %1 x %2 tokens</source>
        <comment>sequences x their length</comment>
        <translation>Mikrobatch: %1 x %2 Tokens</translation>
    </message>
    <message>
        <source>%1; the search at launch takes the largest that fits</source>
        <translation>%1; die Suche beim Start nimmt das größte, das passt</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>up to %1 tokens</source>
        <translation>bis zu %1 Tokens</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s) of width %1, %2 parameters</source>
        <translation>
            <numerusform>%n Schicht der Breite %1, %2 Parameter</numerusform>
            <numerusform>%n Schichten der Breite %1, %2 Parameter</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 parameters, a vocabulary of %2</source>
        <translation>%1 Parameter, ein Vokabular von %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>memory of a step, and its limit</comment>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>The number of steps is known only during the run</source>
        <translation>Die Zahl der Schritte ergibt sich erst im Lauf</translation>
    </message>
    <message>
        <source>%1, if every sample has the maximum length</source>
        <translation>%1, wenn jedes Beispiel die Höchstlänge hat</translation>
    </message>
    <message>
        <source>Over all devices, if every sample has the maximum length</source>
        <translation>Über alle Geräte, wenn jedes Beispiel die Höchstlänge hat</translation>
    </message>
    <message>
        <source>Optimizer moments: %1</source>
        <translation>Momente des Optimierers: %1</translation>
    </message>
    <message>
        <source>16-bit copies of the weights: %1</source>
        <translation>16-Bit-Kopien der Gewichte: %1</translation>
    </message>
    <message>
        <source>Activations saved for the backward pass: %1</source>
        <translation>Aktivierungen, gespeichert für den Rückwärtsdurchlauf: %1</translation>
    </message>
    <message>
        <source>Gradients in transit: %1</source>
        <translation>Gradienten unterwegs: %1</translation>
    </message>
    <message>
        <source>%1, chosen by auto on a processor</source>
        <translation>%1, von auto auf einem Prozessor gewählt</translation>
    </message>
    <message>
        <source>%1, expected from auto within the memory limit</source>
        <translation>%1, von auto innerhalb der Speichergrenze zu erwarten</translation>
    </message>
    <message>
        <source>%1, if it fits according to the search at launch</source>
        <translation>%1, falls es nach der Suche beim Start passt</translation>
    </message>
    <message>
        <source>Share of the token budget that holds text in the first epoch, if every sample has the maximum length</source>
        <translation>Anteil des Tokenbudgets, der in der ersten Epoche Text enthält, wenn jedes Beispiel die Höchstlänge hat</translation>
    </message>
    <message>
        <source>%1, within the first global batch</source>
        <translation>%1, innerhalb des ersten globalen Batches</translation>
    </message>
    <message>
        <source>tensors of at least %1 per device</source>
        <translation>Tensoren von mindestens %1 je Gerät</translation>
    </message>
    <message>
        <source>tensors of up to %1 per device</source>
        <translation>Tensoren von bis zu %1 je Gerät</translation>
    </message>
    <message>
        <source>tensors of about %1 per device</source>
        <translation>Tensoren von etwa %1 je Gerät</translation>
    </message>
    <message>
        <source>Tensors at the memory peak of a step, without the program and its libraries:
%1
%2</source>
        <translation>Tensoren an der Speicherspitze eines Schritts, ohne das Programm und seine Bibliotheken:
%1
%2</translation>
    </message>
    <message>
        <source>%1 for run %2 of %3</source>
        <translation>%1 für Lauf %2 von %3</translation>
    </message>
    <message>
        <source>up to %1 for run %2 of %3</source>
        <translation>bis zu %1 für Lauf %2 von %3</translation>
    </message>
    <message>
        <source>%1 for all %2 runs, %3 for run %4</source>
        <translation>%1 für alle %2 Läufe, %3 für Lauf %4</translation>
    </message>
    <message>
        <source>up to %1 for all %2 runs, %3 for run %4</source>
        <translation>bis zu %1 für alle %2 Läufe, %3 für Lauf %4</translation>
    </message>
    <message>
        <source>Stages of the run</source>
        <translation>Phasen des Laufs</translation>
    </message>
    <message>
        <source>until %1</source>
        <translation>bis %1</translation>
    </message>
    <message>
        <source>Weights, optimizer moments and clocks go on from stage to stage</source>
        <translation>Gewichte, Momente des Optimierers und Uhren gehen von Phase zu Phase weiter</translation>
    </message>
    <message>
        <source>Training time without evaluation and checkpoints. The speed follows from the newest finished run on such devices with this model, or with one of about its size: %1</source>
        <translation>Trainingszeit ohne Auswertung und Checkpoints. Die Geschwindigkeit folgt aus dem neuesten beendeten Lauf auf solchen Geräten mit diesem Modell oder einem von etwa seiner Größe: %1</translation>
    </message>
    <message>
        <source>%1, a rough guess</source>
        <translation>%1, grob geraten</translation>
    </message>
    <message>
        <source>Training time without evaluation and checkpoints, guessed from the number of operations: no such model has been trained on such devices in this workspace yet</source>
        <translation>Trainingszeit ohne Auswertung und Checkpoints, geraten aus der Zahl der Rechenschritte: In diesem Arbeitsbereich wurde noch kein solches Modell auf solchen Geräten trainiert</translation>
    </message>
    <message>
        <source>%1 (a rough guess)</source>
        <translation>%1 (grob geraten)</translation>
    </message>
</context>
<context>
    <name>PlanReview</name>
    <message>
        <source>Text of the demo, generated</source>
        <translation>Text der Demo, erzeugt</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s), %1</source>
        <translation>
            <numerusform>%n Datei, %1</numerusform>
            <numerusform>%n Dateien, %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PlotTexts</name>
    <message>
        <source>%1 at or below 0 not shown</source>
        <translation>%1 bei oder unter 0 nicht gezeigt</translation>
    </message>
    <message numerus="yes">
        <source>%n point(s) off scale</source>
        <translation>
            <numerusform>%n Punkt außerhalb der Skala</numerusform>
            <numerusform>%n Punkte außerhalb der Skala</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ResumeTexts</name>
    <message>
        <source>%1 would rename the run; a fork is a new run of that name</source>
        <translation>%1 würde den Lauf umbenennen; eine Abzweigung ist ein neuer Lauf dieses Namens</translation>
    </message>
    <message>
        <source>A new run starts with the weights of the checkpoint. Clocks, optimizer moments and the order of samples start from the beginning.</source>
        <translation>Ein neuer Lauf beginnt mit den Gewichten des Checkpoints. Uhren, Momente des Optimierers und Reihenfolge der Beispiele beginnen von vorn.</translation>
    </message>
    <message>
        <source>Weights, optimizer moments, schedule and position are restored. Every step has the same samples and masks. The numbers are close but not equal, because the devices or the micro-batch change.</source>
        <translation>Gewichte, Momente des Optimierers, Plan und Position werden wiederhergestellt. Jeder Schritt hat dieselben Beispiele und Masken. Die Zahlen sind nahe, aber nicht gleich, weil sich Geräte oder Mikrobatch ändern.</translation>
    </message>
    <message>
        <source>Weights, optimizer moments, loss scaler, schedule, order of samples, masks and dropout are restored from the checkpoint, bit for bit on the same devices and libraries. If those differ, the log reports it.</source>
        <translation>Gewichte, Momente des Optimierers, Verlustskalierung, Plan, Reihenfolge der Beispiele, Masken und Dropout werden vom Checkpoint wiederhergestellt, Bit für Bit auf denselben Geräten und Bibliotheken. Weichen diese ab, steht es im Protokoll.</translation>
    </message>
    <message>
        <source>The values of %1 do not change.</source>
        <translation>Die Werte von %1 ändern sich nicht.</translation>
    </message>
    <message>
        <source>No step is repeated.</source>
        <translation>Kein Schritt wird wiederholt.</translation>
    </message>
    <message numerus="yes">
        <source>%n global batch(es) after the checkpoint are trained again. Their old values remain in the charts, dimmed.</source>
        <translation>
            <numerusform>%n globaler Batch nach dem Checkpoint wird noch einmal trainiert. Seine alten Werte bleiben blass in den Diagrammen.</numerusform>
            <numerusform>%n globale Batches nach dem Checkpoint werden noch einmal trainiert. Ihre alten Werte bleiben blass in den Diagrammen.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 was resolved at launch; recompute the schedule, or fork</source>
        <translation>%1 wurde beim Start berechnet; den Plan neu berechnen oder abzweigen</translation>
    </message>
    <message>
        <source>This checkpoint was taken inside a global batch, which a recomputed schedule would split differently. Choose a checkpoint between two global batches, or keep the schedule.</source>
        <translation>Dieser Checkpoint entstand innerhalb eines globalen Batches, den ein neu berechneter Plan anders teilen würde. Einen Checkpoint zwischen zwei globalen Batches wählen oder den Plan behalten.</translation>
    </message>
    <message>
        <source>%1 would make it a different run; it is possible in a fork</source>
        <translation>%1 würde daraus einen anderen Lauf machen; in einer Abzweigung ist es möglich</translation>
    </message>
    <message>
        <source>The learning rate keeps its schedule and holds the last value after its end. Recompute the schedule to spread it over the new length.</source>
        <translation>Die Lernrate behält ihren Plan und nach dessen Ende den letzten Wert. Den Plan neu berechnen, um ihn über die neue Länge zu verteilen.</translation>
    </message>
    <message>
        <source>This checkpoint is at the end of the run. Enter a greater length, or choose an earlier checkpoint.</source>
        <translation>Dieser Checkpoint liegt am Ende des Laufs. Eine größere Länge angeben oder einen früheren Checkpoint wählen.</translation>
    </message>
    <message>
        <source>There is no checkpoint to resume from. Duplicate the run to train it from the start.</source>
        <translation>Es gibt keinen Checkpoint zum Fortsetzen. Duplizieren Sie den Lauf, um ihn von vorn zu trainieren.</translation>
    </message>
    <message>
        <source>A new run goes on with weights, optimizer moments and clocks of the checkpoint. What changes applies from there on, as a further stage.</source>
        <translation>Ein neuer Lauf geht mit Gewichten, Momenten des Optimierers und Uhren des Checkpoints weiter. Was sich ändert, gilt ab dort als weitere Phase.</translation>
    </message>
</context>
<context>
    <name>SearchWords</name>
    <message>
        <source>learning rate, lr, maximum</source>
        <translation>Lernrate, LR, Maximum</translation>
    </message>
    <message>
        <source>AdamW, LAMB, SGD, algorithm</source>
        <translation>AdamW, LAMB, SGD, Verfahren</translation>
    </message>
    <message>
        <source>gradient clipping, clip gradients, max grad norm</source>
        <translation>Gradienten begrenzen, Gradient Clipping, abschneiden</translation>
    </message>
    <message>
        <source>regularization, L2</source>
        <translation>Regularisierung, L2</translation>
    </message>
    <message>
        <source>momentum, adam</source>
        <translation>Momentum, Adam</translation>
    </message>
    <message>
        <source>scheduler, decay, cosine, linear, annealing</source>
        <translation>Scheduler, Abfall, Kosinus, linear</translation>
    </message>
    <message>
        <source>warmup</source>
        <translation>Warmup, Aufwärmen</translation>
    </message>
    <message>
        <source>corpus, dataset, data, files, input</source>
        <translation>Korpus, Datensatz, Daten, Dateien, Eingabe</translation>
    </message>
    <message>
        <source>validation set, test set</source>
        <translation>Validierung, Testdaten</translation>
    </message>
    <message>
        <source>validation split, test share</source>
        <translation>Validierung, Testanteil</translation>
    </message>
    <message>
        <source>sequence length, context, truncation, tokens per sample</source>
        <translation>Sequenzlänge, Kontext, Kürzung</translation>
    </message>
    <message>
        <source>masking, mask probability, mlm</source>
        <translation>Maskierung, Maskenanteil, MLM</translation>
    </message>
    <message>
        <source>tokenizer, vocab, wordpiece</source>
        <translation>Tokenizer, Vokabular, Wordpiece</translation>
    </message>
    <message>
        <source>model size, parameters, tiny, base, large</source>
        <translation>Modellgröße, Parameter, tiny, base, large</translation>
    </message>
    <message>
        <source>pretrained, fine-tune, finetuning, continue, load weights</source>
        <translation>vortrainiert, Finetuning, fortsetzen, Gewichte laden</translation>
    </message>
    <message>
        <source>depth, blocks</source>
        <translation>Tiefe, Blöcke</translation>
    </message>
    <message>
        <source>width, dimension</source>
        <translation>Breite, Dimension</translation>
    </message>
    <message>
        <source>batch size, total batch</source>
        <translation>Batchgröße, gesamter Batch</translation>
    </message>
    <message>
        <source>gradient accumulation, batch size per GPU</source>
        <translation>Gradientenakkumulation, Batchgröße je GPU</translation>
    </message>
    <message>
        <source>batch size warmup, ramp, growing batch</source>
        <translation>Batch-Warmup, Rampe, wachsender Batch</translation>
    </message>
    <message>
        <source>batch size warmup, ramp, start size</source>
        <translation>Batch-Warmup, Rampe, Startgröße</translation>
    </message>
    <message>
        <source>adaptive batch size, noise scale</source>
        <translation>adaptive Batchgröße, Rauschskala</translation>
    </message>
    <message>
        <source>tokens per batch, dynamic batching, bucketing</source>
        <translation>Tokens je Batch, dynamische Batches</translation>
    </message>
    <message>
        <source>validation, evaluate often, how often</source>
        <translation>Validierung, Auswertung, wie oft</translation>
    </message>
    <message>
        <source>save, snapshot, backup, how often</source>
        <translation>speichern, Schnappschuss, Sicherung, wie oft</translation>
    </message>
    <message>
        <source>retention, disk space, delete old</source>
        <translation>Aufbewahrung, Speicherplatz, alte löschen</translation>
    </message>
    <message>
        <source>logging, how often</source>
        <translation>Protokoll, Logging, wie oft</translation>
    </message>
    <message>
        <source>early stopping, patience</source>
        <translation>Early Stopping, vorzeitig beenden</translation>
    </message>
    <message>
        <source>nan, inf, overflow, diverges</source>
        <translation>NaN, Inf, Überlauf, divergiert</translation>
    </message>
    <message>
        <source>timeout, deadline, maximum time</source>
        <translation>Zeitlimit, Frist, Höchstdauer</translation>
    </message>
    <message>
        <source>GPU, CUDA, CPU, multi-GPU</source>
        <translation>GPU, CUDA, CPU, mehrere GPUs</translation>
    </message>
    <message>
        <source>gradient checkpointing, save memory</source>
        <translation>Gradient Checkpointing, Speicher sparen</translation>
    </message>
    <message>
        <source>reproducible</source>
        <translation>reproduzierbar</translation>
    </message>
    <message>
        <source>epochs, steps, iterations, how long, tokens</source>
        <translation>Epochen, Schritte, Iterationen, wie lange, Tokens</translation>
    </message>
    <message>
        <source>mixed precision, fp16, bf16, half, amp</source>
        <translation>gemischte Genauigkeit, fp16, bf16, halb, AMP</translation>
    </message>
    <message>
        <source>reproducible, random state</source>
        <translation>reproduzierbar, Zufall</translation>
    </message>
    <message>
        <source>ablation, sweep, group</source>
        <translation>Ablation, Sweep, Gruppe</translation>
    </message>
    <message>
        <source>ablation, arm, condition</source>
        <translation>Ablation, Arm, Bedingung</translation>
    </message>
    <message>
        <source>sweep, paired, grid</source>
        <translation>Sweep, paarweise, Gitter</translation>
    </message>
    <message>
        <source>sweep, grid search, ablation, hyperparameters, tuning</source>
        <translation>Sweep, Gittersuche, Ablation, Hyperparameter, Tuning</translation>
    </message>
    <message>
        <source>dark mode, light mode, night, colors, appearance</source>
        <translation>Dunkelmodus, hell, dunkel, Nacht, Farben, Aussehen</translation>
    </message>
    <message>
        <source>font size, zoom, larger, scale</source>
        <translation>Schriftgröße, Zoom, größer, Skalierung</translation>
    </message>
    <message>
        <source>German, English, translation</source>
        <translation>Deutsch, Englisch, Übersetzung</translation>
    </message>
    <message>
        <source>start, train, begin, run</source>
        <translation>starten, trainieren, beginnen</translation>
    </message>
    <message>
        <source>later, batch jobs</source>
        <translation>später, Warteschlange</translation>
    </message>
    <message>
        <source>end, quit training, cancel</source>
        <translation>beenden, abbrechen, anhalten</translation>
    </message>
    <message>
        <source>kill, abort, cancel</source>
        <translation>abbrechen, beenden</translation>
    </message>
    <message>
        <source>continue, restart</source>
        <translation>weiter, neu starten</translation>
    </message>
    <message>
        <source>own data, my files, corpus</source>
        <translation>eigene Daten, meine Dateien, Korpus</translation>
    </message>
    <message>
        <source>fine-tune, finetuning, pretrained, Hugging Face</source>
        <translation>Finetuning, vortrainiert, Hugging Face</translation>
    </message>
    <message>
        <source>copy, clone, repeat</source>
        <translation>kopieren, klonen, wiederholen</translation>
    </message>
    <message>
        <source>ablation, experiment, copy</source>
        <translation>Ablation, Experiment, kopieren</translation>
    </message>
    <message>
        <source>settings, options</source>
        <translation>Optionen, Konfiguration</translation>
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
        <source>Steps per global batch</source>
        <translation>Schritte je globalem Batch</translation>
    </message>
    <message>
        <source>Samples per global batch</source>
        <translation>Beispiele je globalem Batch</translation>
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
    <message>
        <source>Mean gradient norm</source>
        <translation>Mittlere Gradientennorm</translation>
    </message>
    <message>
        <source>Largest attention logit</source>
        <translation>Größtes Attention-Logit</translation>
    </message>
    <message>
        <source>Largest update-to-weight ratio</source>
        <translation>Größtes Verhältnis von Änderung zu Gewicht</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>Skalierung des Verlusts</translation>
    </message>
    <message>
        <source>Micro-batch fill</source>
        <translation>Füllung der Mikrobatches</translation>
    </message>
    <message>
        <source>Gradient noise scale</source>
        <translation>Rauschskala des Gradienten</translation>
    </message>
    <message>
        <source>Evaluation perplexity</source>
        <translation>Perplexität der Auswertung</translation>
    </message>
    <message>
        <source>Evaluation accuracy</source>
        <translation>Genauigkeit der Auswertung</translation>
    </message>
    <message>
        <source>Seconds per evaluation</source>
        <translation>Sekunden je Auswertung</translation>
    </message>
    <message>
        <source>Samples per evaluation</source>
        <translation>Beispiele je Auswertung</translation>
    </message>
    <message>
        <source>Tokens per evaluation</source>
        <translation>Tokens je Auswertung</translation>
    </message>
    <message>
        <source>Evaluation perplexity on %1</source>
        <translation>Perplexität der Auswertung auf %1</translation>
    </message>
    <message>
        <source>Evaluation accuracy on %1</source>
        <translation>Genauigkeit der Auswertung auf %1</translation>
    </message>
    <message>
        <source>Share of masked tokens</source>
        <translation>Anteil maskierter Tokens</translation>
    </message>
    <message>
        <source>Evaluation loss on %1</source>
        <translation>Verlust der Auswertung auf %1</translation>
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
        <source>Reset window layout, appearance and folders.</source>
        <translation>Fensteranordnung, Erscheinungsbild und Ordner zurücksetzen.</translation>
    </message>
</context>
<context>
    <name>SvgPicture</name>
    <message>
        <source>There is not enough memory for a picture of this size</source>
        <translation>Für ein Bild dieser Größe reicht der Speicher nicht</translation>
    </message>
    <message>
        <source>The drawing is not a readable SVG file</source>
        <translation>Die Zeichnung ist keine lesbare SVG-Datei</translation>
    </message>
    <message>
        <source>A PNG of this size has more than 100 million pixels. Choose a smaller size or resolution</source>
        <translation>Ein PNG dieser Größe hat mehr als 100 Millionen Pixel. Eine kleinere Größe oder Auflösung wählen</translation>
    </message>
</context>
<context>
    <name>ViewMenu</name>
    <message>
        <source>&amp;Appearance</source>
        <translation>&amp;Erscheinungsbild</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>System</source>
        <comment>language of the desktop</comment>
        <translation>System</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>,</source>
        <comment>between groups of three digits</comment>
        <translation> </translation>
    </message>
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
        <translation>Erstellt</translation>
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
    <name>YamlAssist</name>
    <message>
        <source>Move to “%1”</source>
        <translation>Nach „%1“ verschieben</translation>
    </message>
    <message>
        <source>Remove the line</source>
        <translation>Zeile entfernen</translation>
    </message>
    <message>
        <source>Replace with “%1”</source>
        <translation>Durch „%1“ ersetzen</translation>
    </message>
    <message>
        <source>Indent with spaces instead of tabs</source>
        <translation>Mit Leerzeichen statt Tabs einrücken</translation>
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
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
</context>
<context>
    <name>batchwise::AlertsPane</name>
    <message>
        <source>Alerts</source>
        <translation>Warnungen</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
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
        <source>Alert actions</source>
        <translation>Aktionen bei Warnungen</translation>
    </message>
    <message>
        <source>Notifications…</source>
        <translation>Benachrichtigungen …</translation>
    </message>
    <message>
        <source>Alerts are listed here: values that are not finite, spikes, a loss that no longer falls, lost speed, little memory or disk space, and runs that end.</source>
        <translation>Hier stehen Warnungen: nicht endliche Werte, Ausreißer, ein Verlust, der nicht mehr fällt, verlorene Geschwindigkeit, wenig Speicher oder Plattenplatz, und Läufe, die enden.</translation>
    </message>
    <message>
        <source>Alert below %1 % of the usual speed</source>
        <translation>Warnen unter %1 % der üblichen Geschwindigkeit</translation>
    </message>
    <message>
        <source>Action for each kind of alert, and the speed below which there is an alert</source>
        <translation>Aktion für jede Art von Warnung und Geschwindigkeit, unter der gewarnt wird</translation>
    </message>
    <message>
        <source>Choose which events send a desktop notification</source>
        <translation>Wählen, welche Ereignisse der Desktop meldet</translation>
    </message>
    <message>
        <source>Only show</source>
        <translation>Nur anzeigen</translation>
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
    <name>batchwise::ArchiveJobs</name>
    <message>
        <source>Exporting %1…</source>
        <translation>%1 wird exportiert …</translation>
    </message>
    <message>
        <source>Importing %1…</source>
        <translation>%1 wird importiert …</translation>
    </message>
    <message>
        <source>Cancel the export</source>
        <translation>Export abbrechen</translation>
    </message>
    <message>
        <source>Cancel the import</source>
        <translation>Import abbrechen</translation>
    </message>
</context>
<context>
    <name>batchwise::BringRunsDialog</name>
    <message>
        <source>Bring my runs</source>
        <translation>Meine Läufe mitbringen</translation>
    </message>
    <message>
        <source>Archives of runs…</source>
        <translation>Archive von Läufen …</translation>
    </message>
    <message>
        <source>Runs that were exported here or on another machine, with their values and checkpoints.</source>
        <translation>Läufe, die hier oder auf einem anderen Rechner exportiert wurden, mit ihren Werten und Checkpoints.</translation>
    </message>
    <message>
        <source>Another trainer&apos;s configuration…</source>
        <translation>Konfiguration eines anderen Trainers …</translation>
    </message>
    <message>
        <source>A file of Composer, torchtune or DeepSpeed becomes the configuration of the next run.</source>
        <translation>Eine Datei von Composer, torchtune oder DeepSpeed wird zur Konfiguration des nächsten Laufs.</translation>
    </message>
    <message>
        <source>Another workspace…</source>
        <translation>Anderer Arbeitsbereich …</translation>
    </message>
    <message>
        <source>Importing runs</source>
        <translation>Import von Läufen</translation>
    </message>
    <message>
        <source>%1 cannot be used: %2</source>
        <comment>a file and a reason</comment>
        <translation>%1 kann nicht benutzt werden: %2</translation>
    </message>
    <message>
        <source>Archives of runs</source>
        <translation>Archive von Läufen</translation>
    </message>
    <message>
        <source>Runs (*.batchwise *.bwrun);;All files (*)</source>
        <translation>Läufe (*.batchwise *.bwrun);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Archives can also be dropped here.</source>
        <translation>Archive können auch hier abgelegt werden.</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) imported into %1</source>
        <translation>
            <numerusform>%n Lauf in %1 importiert</numerusform>
            <numerusform>%n Läufe in %1 importiert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n archive(s) not imported: canceled</source>
        <translation>
            <numerusform>%n Archiv nicht importiert: abgebrochen</numerusform>
            <numerusform>%n Archive nicht importiert: abgebrochen</numerusform>
        </translation>
    </message>
    <message>
        <source>Opens a folder with all its runs and closes this workspace.</source>
        <translation>Öffnet einen Ordner mit allen seinen Läufen und schließt diesen Arbeitsbereich.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>batchwise::CardView</name>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
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
        <translation>Die ersten %1 Zeilen des gezeigten Teils. Für andere vergrößern oder die Werte speichern.</translation>
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
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>Save values of the shown part…</source>
        <translation>Werte des gezeigten Teils speichern …</translation>
    </message>
    <message>
        <source>Save all values…</source>
        <translation>Alle Werte speichern …</translation>
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
        <translation>Werte speichern</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>All charts as one picture</source>
        <translation>Alle Diagramme als ein Bild</translation>
    </message>
</context>
<context>
    <name>batchwise::CheckpointModel</name>
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
        <translation>Behaltene Checkpoints werden nie gelöscht, um Platz zu schaffen</translation>
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
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Mark</source>
        <translation>Marke</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Evaluation loss</source>
        <translation>Verlust der Auswertung</translation>
    </message>
    <message>
        <source>Evaluation perplexity</source>
        <translation>Perplexität der Auswertung</translation>
    </message>
    <message>
        <source>Evaluation accuracy</source>
        <translation>Genauigkeit der Auswertung</translation>
    </message>
    <message>
        <source>Metric that selects the best checkpoints</source>
        <translation>Messgröße, nach der die besten Checkpoints behalten werden</translation>
    </message>
    <message>
        <source>Verifying…</source>
        <translation>Wird geprüft …</translation>
    </message>
    <message>
        <source>Verified just now</source>
        <translation>Gerade geprüft</translation>
    </message>
    <message>
        <source>start of the run</source>
        <translation>Start des Laufs</translation>
    </message>
    <message>
        <source>interval</source>
        <translation>Intervall</translation>
    </message>
    <message>
        <source>average of several</source>
        <translation>Mittel aus mehreren</translation>
    </message>
    <message>
        <source>on request</source>
        <translation>auf Anforderung</translation>
    </message>
    <message>
        <source>end of the run</source>
        <translation>Ende des Laufs</translation>
    </message>
    <message>
        <source>run stopped</source>
        <translation>Lauf angehalten</translation>
    </message>
    <message>
        <source>guard</source>
        <translation>Wächter</translation>
    </message>
    <message>
        <source>newest</source>
        <translation>neuester</translation>
    </message>
    <message>
        <source>best</source>
        <translation>bester</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>end of a stage</source>
        <translation>Ende einer Stufe</translation>
    </message>
</context>
<context>
    <name>batchwise::CheckpointsPage</name>
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
        <source>Export for Hugging Face…</source>
        <translation>Für Hugging Face exportieren …</translation>
    </message>
    <message>
        <source>The checkpoint of %2 at global batch %1 is deleted in 10 seconds</source>
        <translation>Der Checkpoint von %2 am globalen Batch %1 wird in 10 Sekunden gelöscht</translation>
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
        <source>Unpin it first</source>
        <translation>Zuerst das Behalten aufheben</translation>
    </message>
    <message>
        <source>Delete the file; can be undone for 10 seconds</source>
        <translation>Die Datei löschen; lässt sich 10 Sekunden lang rückgängig machen</translation>
    </message>
    <message>
        <source>Try</source>
        <translation>Ausprobieren</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>Checkpoints</translation>
    </message>
    <message>
        <source>Checkpoints of %1</source>
        <translation>Checkpoints von %1</translation>
    </message>
    <message>
        <source>The checkpoints of the selected run appear here. A run writes them at the intervals of its configuration, and when it stops.</source>
        <translation>Hier erscheinen die Checkpoints des gewählten Laufs. Ein Lauf schreibt sie in den Abständen seiner Konfiguration und wenn er anhält.</translation>
    </message>
    <message>
        <source>Read the whole file and verify every hash</source>
        <translation>Die ganze Datei lesen und jede Prüfsumme vergleichen</translation>
    </message>
    <message>
        <source>Fill in a sentence with the model of this checkpoint</source>
        <translation>Einen Satz mit dem Modell dieses Checkpoints ausfüllen</translation>
    </message>
    <message>
        <source>Review what resuming from this checkpoint changes, then resume</source>
        <translation>Prüfen, was das Fortsetzen ab diesem Checkpoint bedeutet, dann fortsetzen</translation>
    </message>
    <message>
        <source>Write a folder with config.json, model.safetensors and the vocabulary for Hugging Face transformers</source>
        <translation>Einen Ordner mit config.json, model.safetensors und dem Vokabular für transformers von Hugging Face schreiben</translation>
    </message>
    <message>
        <source>Allow its deletion when there are newer checkpoints</source>
        <translation>Löschen erlauben, wenn es neuere Checkpoints gibt</translation>
    </message>
    <message>
        <source>Never delete it to make room</source>
        <translation>Nie löschen, um Platz zu schaffen</translation>
    </message>
    <message>
        <source>New folder for the model</source>
        <translation>Neuer Ordner für das Modell</translation>
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
        <source>Stop and save</source>
        <translation>Anhalten und sichern</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
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
        <source>“Stop and save” writes a checkpoint after the current step and closes the window; the run can be resumed from it. A run in this program cannot continue without its window.</source>
        <translation>„Anhalten und sichern“ schreibt nach dem laufenden Schritt einen Checkpoint und schließt das Fenster; von dort lässt sich der Lauf fortsetzen. Ein Lauf in diesem Programm kann ohne sein Fenster nicht weiterlaufen.</translation>
    </message>
    <message>
        <source>It has its own process and can continue without the window; the next window shows it again. “Stop and save” writes a checkpoint after the current step and closes the window.</source>
        <translation>Er hat einen eigenen Prozess und kann ohne das Fenster weiterlaufen; das nächste Fenster zeigt ihn wieder. „Anhalten und sichern“ schreibt nach dem laufenden Schritt einen Checkpoint und schließt das Fenster.</translation>
    </message>
    <message>
        <source>Keep training and minimize</source>
        <translation>Weiter trainieren und minimieren</translation>
    </message>
    <message>
        <source>Close and keep training</source>
        <translation>Schließen und weiter trainieren</translation>
    </message>
    <message>
        <source>Saving a run</source>
        <translation>Ein Lauf wird gesichert</translation>
    </message>
    <message>
        <source>%1 stops after the current step and saves a checkpoint.</source>
        <translation>%1 hält nach dem laufenden Schritt an und sichert einen Checkpoint.</translation>
    </message>
    <message>
        <source>Then the window closes. If the run hangs, close anyway: steps after its last checkpoint are lost, and the run can be resumed from there.</source>
        <translation>Danach schließt das Fenster. Hängt der Lauf, trotzdem schließen: Schritte nach seinem letzten Checkpoint gehen verloren, und der Lauf lässt sich von dort fortsetzen.</translation>
    </message>
</context>
<context>
    <name>batchwise::ColumnChooser</name>
    <message>
        <source>Find a column</source>
        <translation>Spalte suchen</translation>
    </message>
    <message>
        <source>Columns of the runs table</source>
        <translation>Spalten der Lauftabelle</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Reset columns</source>
        <translation>Spalten zurücksetzen</translation>
    </message>
    <message>
        <source>No matching columns.</source>
        <translation>Keine passenden Spalten.</translation>
    </message>
</context>
<context>
    <name>batchwise::CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Find a command, a run, a setting or a help page</source>
        <translation>Befehl, Lauf, Einstellung oder Hilfeseite suchen</translation>
    </message>
    <message>
        <source>Matches</source>
        <translation>Treffer</translation>
    </message>
    <message>
        <source>Nothing matches “%1”</source>
        <translation>Nichts passt zu „%1“</translation>
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
        <source>Source: %1.</source>
        <translation>Quelle: %1.</translation>
    </message>
    <message>
        <source>%1: differs from %2</source>
        <translation>%1: anders als bei %2</translation>
    </message>
    <message>
        <source>Reset to %1</source>
        <translation>Auf %1 zurücksetzen</translation>
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
    <message>
        <source>Clear the search</source>
        <translation>Suche löschen</translation>
    </message>
    <message>
        <source>Several values…</source>
        <translation>Mehrere Werte …</translation>
    </message>
    <message>
        <source>%1:</source>
        <comment>the label of a setting, before its help</comment>
        <translation>%1:</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>%n Läufe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n value(s), %1 runs</source>
        <translation>
            <numerusform>%n Wert, %1 Läufe</numerusform>
            <numerusform>%n Werte, %1 Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>Row %1, %2: %3</source>
        <comment>a cell of a table and its error</comment>
        <translation>Zeile %1, %2: %3</translation>
    </message>
    <message>
        <source>No field found for “%1”</source>
        <translation>Kein Feld gefunden für „%1“</translation>
    </message>
    <message>
        <source>entered here</source>
        <translation>hier eingegeben</translation>
    </message>
    <message>
        <source>Expected: %1.</source>
        <comment>%1: a whole number of samples, …</comment>
        <translation>Erwartet: %1.</translation>
    </message>
    <message>
        <source>Reset to empty</source>
        <translation>Auf leer zurücksetzen</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>a setting and its unit</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>A model of the family %1 has no such setting: reset it</source>
        <translation>Ein Modell der Familie %1 hat diese Einstellung nicht: zurücksetzen</translation>
    </message>
    <message>
        <source>A model of the family %1 has no such setting</source>
        <translation>Ein Modell der Familie %1 hat diese Einstellung nicht</translation>
    </message>
    <message>
        <source>No effect: the existing vocabulary is used</source>
        <translation>Ohne Wirkung: Das vorhandene Vokabular wird benutzt</translation>
    </message>
    <message>
        <source>No effect: the folder to start from decides</source>
        <translation>Ohne Wirkung: Der Ordner, von dem ausgegangen wird, entscheidet</translation>
    </message>
</context>
<context>
    <name>batchwise::CsvExportJobs</name>
    <message>
        <source>Saving %1…</source>
        <translation>%1 wird gespeichert …</translation>
    </message>
    <message>
        <source>Cancel saving</source>
        <translation>Speichern abbrechen</translation>
    </message>
</context>
<context>
    <name>batchwise::DeskGrid</name>
    <message>
        <source>Charts</source>
        <translation>Diagramme</translation>
    </message>
</context>
<context>
    <name>batchwise::DeskPage</name>
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
        <source>tags %1</source>
        <translation>Schlagwörter %1</translation>
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
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>%n Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>compared with the baseline %1</source>
        <translation>verglichen mit der Basis %1</translation>
    </message>
    <message>
        <source>Log scale</source>
        <translation>Logarithmisch</translation>
    </message>
    <message>
        <source>Difference to the baseline</source>
        <translation>Unterschied zur Basis</translation>
    </message>
    <message>
        <source>Remove from this chart</source>
        <translation>Aus diesem Diagramm entfernen</translation>
    </message>
    <message>
        <source>Wider</source>
        <translation>Breiter</translation>
    </message>
    <message>
        <source>Narrower</source>
        <translation>Schmaler</translation>
    </message>
    <message>
        <source>Taller</source>
        <translation>Höher</translation>
    </message>
    <message>
        <source>Lower</source>
        <translation>Niedriger</translation>
    </message>
    <message>
        <source>Automatic height</source>
        <translation>Automatische Höhe</translation>
    </message>
    <message>
        <source>Move forward</source>
        <translation>Nach vorn</translation>
    </message>
    <message>
        <source>Move back</source>
        <translation>Nach hinten</translation>
    </message>
    <message>
        <source>Remove chart</source>
        <translation>Diagramm entfernen</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>Wird geladen …</translation>
    </message>
    <message>
        <source>Values appear after the first global batch</source>
        <translation>Werte erscheinen nach dem ersten globalen Batch</translation>
    </message>
    <message>
        <source>These runs have no values of this kind</source>
        <translation>Diese Läufe haben keine Werte dieser Art</translation>
    </message>
    <message>
        <source>This run has no values of this kind</source>
        <translation>Dieser Lauf hat keine solchen Werte</translation>
    </message>
    <message>
        <source>Charts appear here. Select or tick runs on the left, or start a new run.</source>
        <translation>Hier erscheinen Diagramme. Links Läufe auswählen oder anhaken, oder einen neuen beginnen.</translation>
    </message>
</context>
<context>
    <name>batchwise::DeskTools</name>
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
        <source>To the start</source>
        <translation>Zum Anfang</translation>
    </message>
    <message>
        <source>Shows the beginning of the run</source>
        <translation>Zeigt den Anfang des Laufs</translation>
    </message>
    <message>
        <source>Next x axis</source>
        <translation>Nächste x-Achse</translation>
    </message>
    <message>
        <source>Log scale</source>
        <translation>Logarithmisch</translation>
    </message>
    <message>
        <source>Logarithmic value axes; each chart counts the values it cannot show</source>
        <translation>Logarithmische Wertachsen; jedes Diagramm zählt die Werte, die es nicht zeigen kann</translation>
    </message>
    <message>
        <source>Clip spikes</source>
        <translation>Spitzen kappen</translation>
    </message>
    <message>
        <source>Whole run</source>
        <translation>Ganzer Lauf</translation>
    </message>
    <message>
        <source>Group seeds</source>
        <translation>Startwerte gruppieren</translation>
    </message>
    <message>
        <source>Runs that differ in the seed only become one line with a band, and one row of the runs table</source>
        <translation>Läufe, die sich nur im Startwert unterscheiden, werden eine Linie mit Band und eine Zeile der Lauftabelle</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>Anordnung</translation>
    </message>
    <message>
        <source>Which charts are shown</source>
        <translation>Welche Diagramme gezeigt werden</translation>
    </message>
    <message>
        <source>X axis of all charts</source>
        <translation>x-Achse aller Diagramme</translation>
    </message>
    <message>
        <source>X axis</source>
        <translation>x-Achse</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>No smoothing</source>
        <translation>Keine Glättung</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>The table of values below the charts, while runs are compared</source>
        <translation>Die Wertetabelle unter den Diagrammen, solange Läufe verglichen werden</translation>
    </message>
    <message>
        <source>Add chart</source>
        <translation>Diagramm hinzufügen</translation>
    </message>
    <message>
        <source>A chart of any series of the shown runs</source>
        <translation>Ein Diagramm einer beliebigen Reihe der gezeigten Läufe</translation>
    </message>
    <message>
        <source>List of series</source>
        <translation>Liste der Reihen</translation>
    </message>
    <message>
        <source>The series of the shown runs, to drag onto charts</source>
        <translation>Die Reihen der gezeigten Läufe, um sie auf Diagramme zu ziehen</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Pictures, values, tables and a report</source>
        <translation>Bilder, Werte, Tabellen und ein Bericht</translation>
    </message>
    <message>
        <source>Save preset</source>
        <translation>Anordnung speichern</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Save preset…</source>
        <translation>Anordnung speichern …</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Rename preset</source>
        <translation>Anordnung umbenennen</translation>
    </message>
    <message>
        <source>No groups</source>
        <translation>Keine Gruppen</translation>
    </message>
    <message>
        <source>Group by %1</source>
        <translation>Nach %1 gruppieren</translation>
    </message>
    <message>
        <source>Band</source>
        <translation>Band</translation>
    </message>
    <message>
        <source>Standard deviation</source>
        <translation>Standardabweichung</translation>
    </message>
    <message>
        <source>Standard error</source>
        <translation>Standardfehler</translation>
    </message>
    <message>
        <source>95 % confidence</source>
        <translation>95-%-Konfidenz</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keines</translation>
    </message>
    <message>
        <source>Center</source>
        <translation>Mitte</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>Mittelwert</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>Follows the newest value until the charts are moved</source>
        <translation>Folgt dem neuesten Wert, bis die Diagramme bewegt werden</translation>
    </message>
    <message>
        <source>Switches all charts to the next x axis</source>
        <translation>Wechselt alle Diagramme zur nächsten x-Achse</translation>
    </message>
    <message>
        <source>Isolated spikes may be off scale: an arrow marks each, and the chart counts them</source>
        <translation>Einzelne Spitzen dürfen außerhalb der Skala liegen: ein Pfeil zeigt jede an, und das Diagramm zählt sie</translation>
    </message>
    <message>
        <source>Extends the axes to the planned end of the run</source>
        <translation>Führt die Achsen bis zum geplanten Ende des Laufs</translation>
    </message>
    <message>
        <source>X axis of all charts. X switches to the next one while a chart has the focus</source>
        <translation>x-Achse aller Diagramme. X wechselt zur nächsten, solange ein Diagramm den Fokus hat</translation>
    </message>
    <message>
        <source>Weight of earlier values in the thick line; the thin line shows every value</source>
        <translation>Gewicht der früheren Werte in der dicken Linie; die dünne zeigt jeden Wert</translation>
    </message>
    <message>
        <source>Custom charts</source>
        <translation>Eigene Diagramme</translation>
    </message>
    <message>
        <source>Group by all settings except the seed</source>
        <translation>Nach allen Einstellungen außer dem Startwert gruppieren</translation>
    </message>
    <message>
        <source>Replace the preset?</source>
        <translation>Anordnung ersetzen?</translation>
    </message>
    <message>
        <source>There is already a preset %1.</source>
        <translation>Es gibt schon eine Anordnung %1.</translation>
    </message>
    <message>
        <source>Its charts and options are lost.</source>
        <translation>Ihre Diagramme und Einstellungen gehen verloren.</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
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
        <source>Peak / limit</source>
        <translation>Höchstwert / Grenze</translation>
    </message>
</context>
<context>
    <name>batchwise::DockTitle</name>
    <message>
        <source>Detach from the window, or attach again</source>
        <translation>Vom Fenster lösen oder wieder anfügen</translation>
    </message>
    <message>
        <source>Close; reopen it in the View menu</source>
        <translation>Schließen; im Menü Ansicht wieder öffnen</translation>
    </message>
</context>
<context>
    <name>batchwise::DraftHistory</name>
    <message>
        <source>change to another configuration</source>
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
    <message>
        <source>change of the sweep</source>
        <translation>Änderung der Wertelisten</translation>
    </message>
</context>
<context>
    <name>batchwise::EditPage</name>
    <message>
        <source>The YAML text has errors. To edit here, correct them under YAML, or undo the last edits.</source>
        <translation>Der YAML-Text hat Fehler. Um hier zu bearbeiten, sie unter YAML berichtigen oder die letzten Änderungen rückgängig machen.</translation>
    </message>
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
    <message numerus="yes">
        <source>%n value(s) of %1</source>
        <translation>
            <numerusform>%n Wert von %1</numerusform>
            <numerusform>%n Werte von %1</numerusform>
        </translation>
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
    <message>
        <source>Same settings as the preset %1</source>
        <translation>Gleiche Einstellungen wie die Vorlage %1</translation>
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
    <message>
        <source>The help of a setting appears here while you edit it.</source>
        <translation>Hier erscheint die Hilfe der Einstellung, die bearbeitet wird.</translation>
    </message>
    <message>
        <source>Help of the setting</source>
        <translation>Hilfe der Einstellung</translation>
    </message>
    <message>
        <source>Several runs…</source>
        <translation>Mehrere Läufe …</translation>
    </message>
    <message>
        <source>Set lists or ranges of values for fields, and name the experiment</source>
        <translation>Für Felder Listen oder Bereiche von Werten setzen und das Experiment benennen</translation>
    </message>
    <message>
        <source>Ready, with a warning: %1. Remedy: %2.</source>
        <comment>a warning and its remedy</comment>
        <translation>Bereit, mit Warnung: %1. Abhilfe: %2.</translation>
    </message>
    <message numerus="yes">
        <source>Ready to launch %n run(s): %1</source>
        <comment>%1: 3 values of Random seed, …</comment>
        <translation>
            <numerusform>Bereit zum Start von %n Lauf: %1</numerusform>
            <numerusform>Bereit zum Start von %n Läufen: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n value(s) of %1, which advance together</source>
        <translation>
            <numerusform>%n Wert von %1</numerusform>
            <numerusform>je %n Werte von %1, die gemeinsam fortschreiten</numerusform>
        </translation>
    </message>
    <message>
        <source>Configuration as a form or as YAML</source>
        <translation>Konfiguration als Formular oder als YAML</translation>
    </message>
    <message>
        <source>Ready to launch %1 on the generated text of the demo</source>
        <translation>Bereit zum Start von %1 auf dem erzeugten Text der Demo</translation>
    </message>
</context>
<context>
    <name>batchwise::EditPresenter</name>
    <message>
        <source>%1. Remedy: %2.</source>
        <comment>a problem and its remedy</comment>
        <translation>%1. Abhilfe: %2.</translation>
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
    <message>
        <source>Edit the several values</source>
        <translation>Die einzelnen Werte bearbeiten</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
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
    <name>batchwise::FirstRunCommands</name>
    <message>
        <source>No workspace is open.</source>
        <translation>Kein Arbeitsbereich ist offen.</translation>
    </message>
</context>
<context>
    <name>batchwise::FirstRunDialog</name>
    <message>
        <source>English</source>
        <translation>Englisch</translation>
    </message>
    <message>
        <source>German</source>
        <translation>Deutsch</translation>
    </message>
    <message>
        <source>French</source>
        <translation>Französisch</translation>
    </message>
    <message>
        <source>Spanish</source>
        <translation>Spanisch</translation>
    </message>
    <message>
        <source>Italian</source>
        <translation>Italienisch</translation>
    </message>
    <message>
        <source>Portuguese</source>
        <translation>Portugiesisch</translation>
    </message>
    <message>
        <source>Dutch</source>
        <translation>Niederländisch</translation>
    </message>
    <message>
        <source>Swedish</source>
        <translation>Schwedisch</translation>
    </message>
    <message>
        <source>Polish</source>
        <translation>Polnisch</translation>
    </message>
    <message>
        <source>Turkish</source>
        <translation>Türkisch</translation>
    </message>
    <message>
        <source>Russian</source>
        <translation>Russisch</translation>
    </message>
    <message>
        <source>Ukrainian</source>
        <translation>Ukrainisch</translation>
    </message>
    <message>
        <source>Arabic</source>
        <translation>Arabisch</translation>
    </message>
    <message>
        <source>Persian</source>
        <translation>Persisch</translation>
    </message>
    <message>
        <source>Greek</source>
        <translation>Griechisch</translation>
    </message>
    <message>
        <source>Hebrew</source>
        <translation>Hebräisch</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>Chinesisch</translation>
    </message>
    <message>
        <source>Japanese</source>
        <translation>Japanisch</translation>
    </message>
    <message>
        <source>Korean</source>
        <translation>Koreanisch</translation>
    </message>
    <message>
        <source>Thai</source>
        <translation>Thai</translation>
    </message>
    <message>
        <source>A larger model would need more text.</source>
        <translation>Ein größeres Modell bräuchte mehr Text.</translation>
    </message>
    <message>
        <source>With a larger model, one epoch would take more than an hour on this machine.</source>
        <translation>Mit einem größeren Modell würde eine Epoche auf diesem Rechner mehr als eine Stunde dauern.</translation>
    </message>
    <message>
        <source>A larger model would need more than half of the memory of this machine.</source>
        <translation>Ein größeres Modell bräuchte mehr als die Hälfte des Speichers dieses Rechners.</translation>
    </message>
    <message>
        <source>%1: %2 layers, width %3</source>
        <translation>%1: %2 Schichten, Breite %3</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 und %n weitere</numerusform>
            <numerusform>%1 und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>Train on my text</source>
        <translation>Mit meinem Text trainieren</translation>
    </message>
    <message>
        <source>Continue a model</source>
        <translation>Ein Modell weitertrainieren</translation>
    </message>
    <message>
        <source>Choose files or a folder, or drop them here. Plain text, Markdown and JSON lines are read, also compressed (.gz).</source>
        <translation>Dateien oder einen Ordner wählen oder hier ablegen. Gelesen werden reiner Text, Markdown und JSON-Zeilen, auch komprimiert (.gz).</translation>
    </message>
    <message>
        <source>Choose a model above, and your text.</source>
        <translation>Oben ein Modell und den eigenen Text wählen.</translation>
    </message>
    <message>
        <source>Model folder…</source>
        <translation>Modellordner …</translation>
    </message>
    <message>
        <source>A folder with config.json, model.safetensors and a tokenizer.json or vocab.txt</source>
        <translation>Ein Ordner mit config.json, model.safetensors und einer tokenizer.json oder vocab.txt</translation>
    </message>
    <message>
        <source>Checkpoint of a run</source>
        <translation>Checkpoint eines Laufs</translation>
    </message>
    <message>
        <source>Writes the newest checkpoint of the run as a model folder below %1</source>
        <translation>Schreibt den neuesten Checkpoint des Laufs als Modellordner unter %1</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>Ordner …</translation>
    </message>
    <message>
        <source>Folder with text</source>
        <translation>Ordner mit Text</translation>
    </message>
    <message>
        <source>Files…</source>
        <translation>Dateien …</translation>
    </message>
    <message>
        <source>Files with text</source>
        <translation>Dateien mit Text</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Reading the files</source>
        <translation>Lesen der Dateien</translation>
    </message>
    <message>
        <source>Cancel reading</source>
        <translation>Lesen abbrechen</translation>
    </message>
    <message>
        <source>Reading the files…</source>
        <translation>Dateien werden gelesen …</translation>
    </message>
    <message>
        <source>How documents are separated</source>
        <translation>Wie Dokumente getrennt sind</translation>
    </message>
    <message>
        <source>by blank lines</source>
        <translation>durch Leerzeilen</translation>
    </message>
    <message>
        <source>one per line</source>
        <translation>eines je Zeile</translation>
    </message>
    <message>
        <source>one JSON object per line</source>
        <translation>ein JSON-Objekt je Zeile</translation>
    </message>
    <message>
        <source>JSON field with the text</source>
        <translation>JSON-Feld mit dem Text</translation>
    </message>
    <message>
        <source>Text field</source>
        <translation>Textfeld</translation>
    </message>
    <message>
        <source>First lines</source>
        <translation>Erste Zeilen</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>Gefunden</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>Lengths</source>
        <translation>Längen</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Model size</source>
        <translation>Modellgröße</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>Epochen</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>Arbeitsbereich</translation>
    </message>
    <message>
        <source>Edit the settings…</source>
        <translation>Einstellungen bearbeiten …</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>Text (*.txt *.text *.md *.raw *.tokens *.jsonl *.ndjson *.gz);;All files (*)</source>
        <translation>Text (*.txt *.text *.md *.raw *.tokens *.jsonl *.ndjson *.gz);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Model folder</source>
        <translation>Modellordner</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>Ein Modell wählen</translation>
    </message>
    <message>
        <source>Choose text</source>
        <translation>Text wählen</translation>
    </message>
    <message>
        <source>The run is being planned</source>
        <translation>Der Lauf wird geplant</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n Datei</numerusform>
            <numerusform>%n Dateien</numerusform>
        </translation>
    </message>
    <message>
        <source>1 document</source>
        <translation>1 Dokument</translation>
    </message>
    <message>
        <source>%1 documents</source>
        <translation>%1 Dokumente</translation>
    </message>
    <message>
        <source>%1 words</source>
        <translation>%1 Wörter</translation>
    </message>
    <message>
        <source>estimated: %1 % were read</source>
        <translation>geschätzt: %1 % wurden gelesen</translation>
    </message>
    <message>
        <source>Half of the documents have at most %1 words, 95 % at most %2 (about %3 tokens)</source>
        <translation>Die Hälfte der Dokumente hat höchstens %1 Wörter, 95 % höchstens %2 (etwa %3 Tokens)</translation>
    </message>
    <message>
        <source>Not sure</source>
        <translation>Unsicher</translation>
    </message>
    <message>
        <source>%1 parameters.</source>
        <translation>%1 Parameter.</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>From the speed of run %1.</source>
        <translation>Nach der Geschwindigkeit des Laufs %1.</translation>
    </message>
    <message>
        <source>Number of passes through the text</source>
        <translation>Zahl der Durchgänge durch den Text</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>Schätzung</translation>
    </message>
    <message>
        <source>probably %1</source>
        <translation>vermutlich %1</translation>
    </message>
    <message>
        <source>Rough estimate from the number of operations: no such model has been trained here yet.</source>
        <translation>Grobe Schätzung nach der Zahl der Rechenoperationen: Ein solches Modell wurde hier noch nicht trainiert.</translation>
    </message>
    <message>
        <source>%1, %2 layers of width %3: %4 parameters, a vocabulary of %5 tokens</source>
        <comment>%1: a model family</comment>
        <translation>%1, %2 Schichten der Breite %3: %4 Parameter, ein Vokabular von %5 Tokens</translation>
    </message>
    <message>
        <source>General text, so that the model forgets less and you see how much</source>
        <translation>Allgemeiner Text, damit das Modell weniger vergisst und man sieht, wie viel</translation>
    </message>
    <message>
        <source>Folder with general text</source>
        <translation>Ordner mit allgemeinem Text</translation>
    </message>
    <message>
        <source>Files with general text</source>
        <translation>Dateien mit allgemeinem Text</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>No general text</source>
        <translation>Kein allgemeiner Text</translation>
    </message>
    <message>
        <source>General text</source>
        <translation>Allgemeiner Text</translation>
    </message>
    <message>
        <source>Why, and from where…</source>
        <translation>Warum, und woher …</translation>
    </message>
    <message>
        <source>Opens the manual at the recipes, with their sources</source>
        <translation>Öffnet das Handbuch bei den Rezepten, mit ihren Quellen</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>Rezept</translation>
    </message>
    <message>
        <source>Evaluated</source>
        <translation>Ausgewertet</translation>
    </message>
    <message>
        <source>None: what the model forgets is neither limited nor measured</source>
        <translation>Keiner: Was das Modell vergisst, wird weder begrenzt noch gemessen</translation>
    </message>
    <message>
        <source>Beside your text, %1 for training (%2 % of all) and %3 for evaluation</source>
        <translation>Neben dem eigenen Text %1 zum Trainieren (%2 % von allem) und %3 zum Auswerten</translation>
    </message>
    <message>
        <source>%1 for evaluation, none for training</source>
        <translation>%1 zum Auswerten, keines zum Trainieren</translation>
    </message>
    <message>
        <source>Reading the general text…</source>
        <translation>Der allgemeine Text wird gelesen …</translation>
    </message>
    <message>
        <source>Read as soon as your text is known</source>
        <translation>Wird gelesen, sobald der eigene Text bekannt ist</translation>
    </message>
    <message>
        <source>about %1 tokens</source>
        <translation>etwa %1 Tokens</translation>
    </message>
    <message>
        <source>tensors of about %1 per device</source>
        <translation>Tensoren von etwa %1 je Gerät</translation>
    </message>
    <message>
        <source>not known before the launch</source>
        <translation>vor dem Start nicht bekannt</translation>
    </message>
    <message>
        <source>%1 % of the run at a constant rate of %2, reached over the first %3 %, with %4 % of the tokens masked; then the rate falls to zero (1 - sqrt of the time), with %5 % masked. The tokenizer of the model is kept.</source>
        <translation>%1 % des Laufs bei gleichbleibender Rate von %2, erreicht über die ersten %3 %, mit %4 % maskierten Tokens; dann fällt die Rate bis auf null (1 - Wurzel der Zeit), mit %5 % maskierten. Der Tokenizer des Modells bleibt.</translation>
    </message>
    <message>
        <source>your text (%1 % of the documents, held out)</source>
        <translation>eigener Text (%1 % der Dokumente, zurückgehalten)</translation>
    </message>
    <message>
        <source>general text</source>
        <translation>allgemeiner Text</translation>
    </message>
    <message>
        <source>Nothing: the text has too few documents to hold some out</source>
        <translation>Nichts: Der Text hat zu wenige Dokumente, um welche zurückzuhalten</translation>
    </message>
    <message>
        <source>Before, during and after the run: %1</source>
        <translation>Vor, während und nach dem Lauf: %1</translation>
    </message>
    <message>
        <source> and </source>
        <translation> und </translation>
    </message>
</context>
<context>
    <name>batchwise::FirstRunPresenter</name>
    <message>
        <source>continued</source>
        <comment>end of the name of a run</comment>
        <translation>fortgesetzt</translation>
    </message>
</context>
<context>
    <name>batchwise::GridCell</name>
    <message>
        <source>Drag to move the chart; its edges resize it</source>
        <translation>Ziehen verschiebt das Diagramm; seine Ränder ändern die Größe</translation>
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
    <message>
        <source>Help page</source>
        <translation>Hilfeseite</translation>
    </message>
</context>
<context>
    <name>batchwise::ImportWindow</name>
    <message>
        <source>New run from another trainer&apos;s file</source>
        <translation>Neuer Lauf aus der Datei eines anderen Trainers</translation>
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
        <source>–</source>
        <translation>–</translation>
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
    <message>
        <source>How each setting is imported</source>
        <translation>Wie jede Einstellung importiert wird</translation>
    </message>
    <message>
        <source>Edit as the next run</source>
        <translation>Als nächsten Lauf bearbeiten</translation>
    </message>
    <message>
        <source>Sizes that the file gives per device are multiplied by this number</source>
        <translation>Größen, die die Datei je Gerät angibt, werden mit dieser Zahl multipliziert</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>&amp;Trainer</source>
        <translation>&amp;Trainer</translation>
    </message>
    <message>
        <source>&amp;Devices</source>
        <translation>&amp;Geräte</translation>
    </message>
    <message>
        <source>%1 is a configuration of %2. Settings that are not imported can be set by hand before the launch.</source>
        <translation>%1 ist eine Konfiguration von %2. Was nicht importiert wird, kann vor dem Start von Hand eingestellt werden.</translation>
    </message>
    <message>
        <source>Not imported: %1</source>
        <translation>Nicht importiert: %1</translation>
    </message>
    <message>
        <source>Imported: %1</source>
        <translation>Importiert: %1</translation>
    </message>
    <message>
        <source>detect automatically</source>
        <translation>automatisch erkennen</translation>
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
    <message>
        <source>Save the positions and sizes of docks and toolbars under a name</source>
        <translation>Plätze und Größen von Docks und Leisten unter einem Namen speichern</translation>
    </message>
    <message>
        <source>&amp;Default layout</source>
        <translation>&amp;Standardanordnung</translation>
    </message>
    <message>
        <source>Docks and toolbars as at the first start</source>
        <translation>Docks und Leisten wie beim ersten Start</translation>
    </message>
    <message>
        <source>The layout %1 is from another version and cannot be used. Delete it, or save it again.</source>
        <translation>Die Anordnung %1 stammt aus einer anderen Version und ist nicht verwendbar. Sie löschen oder neu speichern.</translation>
    </message>
    <message>
        <source>Replace the layout?</source>
        <translation>Anordnung ersetzen?</translation>
    </message>
    <message>
        <source>There is already a layout %1.</source>
        <translation>Es gibt schon eine Anordnung %1.</translation>
    </message>
    <message>
        <source>Its arrangement of docks and toolbars is lost.</source>
        <translation>Ihre Plätze von Docks und Leisten gehen verloren.</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
</context>
<context>
    <name>batchwise::LegendStrip</name>
    <message>
        <source>Legend</source>
        <translation>Legende</translation>
    </message>
</context>
<context>
    <name>batchwise::LogLine</name>
    <message>
        <source>Log: no events yet</source>
        <translation>Protokoll: noch keine Ereignisse</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source>Newest event: %1</source>
        <translation>Neuestes Ereignis: %1</translation>
    </message>
    <message>
        <source>%1
Click to open or close the log</source>
        <translation>%1
Klick öffnet oder schließt das Protokoll</translation>
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
        <source>Event</source>
        <translation>Ereignis</translation>
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
    <message>
        <source>R&amp;uns</source>
        <translation>&amp;Läufe</translation>
    </message>
    <message>
        <source>The charts and values of the shown runs</source>
        <translation>Diagramme und Werte der gezeigten Läufe</translation>
    </message>
</context>
<context>
    <name>batchwise::MessageBar</name>
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
    <name>batchwise::MessageCard</name>
    <message>
        <source>Copy this message</source>
        <translation>Diese Nachricht kopieren</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>Diese Nachricht schließen</translation>
    </message>
    <message>
        <source>More</source>
        <translation>Mehr</translation>
    </message>
    <message>
        <source>Show the whole message</source>
        <translation>Die ganze Meldung zeigen</translation>
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
    <message>
        <source>Duplicate as variant</source>
        <translation>Als Variante duplizieren</translation>
    </message>
    <message>
        <source>Name of the new variant of %1:</source>
        <comment>%1: an experiment</comment>
        <translation>Name der neuen Variante von %1:</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Duplizieren</translation>
    </message>
    <message>
        <source>In %1, relative file names have to become absolute.</source>
        <translation>In %1 müssen relative Dateinamen absolut werden.</translation>
    </message>
    <message>
        <source>This text has to be rewritten for that, without its comments. In its original folder it can be saved unchanged.</source>
        <translation>Dafür muss dieser Text neu geschrieben werden, ohne seine Kommentare. In seinem ursprünglichen Ordner lässt er sich unverändert speichern.</translation>
    </message>
    <message>
        <source>%1 has comments that would be overwritten.</source>
        <translation>%1 hat Kommentare, die überschrieben würden.</translation>
    </message>
    <message>
        <source>The text that is being saved has none. Save under another name to keep the file as it is.</source>
        <translation>Der Text, der gespeichert wird, hat keine. Unter einem anderen Namen speichern, damit die Datei bleibt, wie sie ist.</translation>
    </message>
    <message>
        <source>%1 contains other files but no workspace.</source>
        <translation>%1 enthält andere Dateien, aber keinen Arbeitsbereich.</translation>
    </message>
    <message>
        <source>A new workspace would put its database, checkpoints and cache next to them.</source>
        <translation>Ein neuer Arbeitsbereich legt Datenbank, Checkpoints und Zwischenspeicher daneben.</translation>
    </message>
    <message>
        <source>Create a workspace here</source>
        <translation>Hier einen Arbeitsbereich anlegen</translation>
    </message>
    <message>
        <source>This workspace is open in another window. That window is now in front.</source>
        <translation>Dieser Arbeitsbereich ist in einem anderen Fenster offen. Dieses Fenster ist jetzt vorn.</translation>
    </message>
    <message>
        <source>The list of runs may be out of date. Batchwise keeps trying to update it.</source>
        <translation>Die Liste der Läufe ist vielleicht nicht aktuell. Batchwise versucht weiter, sie zu aktualisieren.</translation>
    </message>
</context>
<context>
    <name>batchwise::NotesPane</name>
    <message>
        <source>Note on the selected run</source>
        <translation>Notiz zum gewählten Lauf</translation>
    </message>
    <message>
        <source>What you tried and what you found (Markdown)</source>
        <translation>Was versucht wurde und was sich zeigte (Markdown)</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Select a run to take notes on it.</source>
        <translation>Einen Lauf wählen, um sich Notizen zu machen.</translation>
    </message>
    <message>
        <source>Note on %1</source>
        <comment>%1: name of a run</comment>
        <translation>Notiz zu %1</translation>
    </message>
    <message>
        <source>Edit the note as Markdown; off shows it formatted</source>
        <translation>Die Notiz als Markdown bearbeiten; aus zeigt sie formatiert</translation>
    </message>
</context>
<context>
    <name>batchwise::ParallelPlot</name>
    <message>
        <source>Settings that differ among the runs, and the metric, on parallel axes</source>
        <translation>Einstellungen, in denen sich die Läufe unterscheiden, und die Messgröße auf parallelen Achsen</translation>
    </message>
    <message>
        <source>%1 (%2). Drag along the axis to show only the runs in that range; click to show all.</source>
        <translation>%1 (%2). Entlang der Achse ziehen zeigt nur die Läufe in diesem Bereich; ein Klick zeigt alle.</translation>
    </message>
</context>
<context>
    <name>batchwise::PreferencesWindow</name>
    <message>
        <source>Preferences</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Sections of the preferences</source>
        <translation>Bereiche der Einstellungen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Erscheinungsbild</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Schriftgröße</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>Jetzt neu starten</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Automatic: all GPUs, or else the processor</source>
        <translation>Automatisch: alle GPUs, sonst der Prozessor</translation>
    </message>
    <message>
        <source>Processor (cpu)</source>
        <translation>Prozessor (cpu)</translation>
    </message>
    <message>
        <source>All GPUs (cuda)</source>
        <translation>Alle GPUs (cuda)</translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation>Vorgaben</translation>
    </message>
    <message>
        <source>Devices of new runs</source>
        <translation>Geräte neuer Läufe</translation>
    </message>
    <message>
        <source>For configurations that start from the demo settings.</source>
        <translation>Für Konfigurationen, die von den Einstellungen der Demo ausgehen.</translation>
    </message>
    <message>
        <source>Training location</source>
        <translation>Ort des Trainings</translation>
    </message>
    <message>
        <source> %</source>
        <translation> %</translation>
    </message>
    <message>
        <source>Smoothing of charts</source>
        <translation>Glättung der Diagramme</translation>
    </message>
    <message>
        <source>Weight of the moving average; 0 % shows the values as they are.</source>
        <translation>Gewicht des gleitenden Mittels; 0 % zeigt die Werte, wie sie sind.</translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation>Benachrichtigungen</translation>
    </message>
    <message>
        <source>Notify on the desktop when</source>
        <translation>Auf dem Desktop melden, wenn</translation>
    </message>
    <message>
        <source>a run ends</source>
        <translation>ein Lauf endet</translation>
    </message>
    <message>
        <source>a run fails</source>
        <translation>ein Lauf scheitert</translation>
    </message>
    <message>
        <source>there is another alert</source>
        <translation>es eine andere Warnung gibt</translation>
    </message>
    <message>
        <source>Notify when %1</source>
        <comment>%1: a run ends</comment>
        <translation>Melden, wenn %1</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <comment>%1: a folder</comment>
        <translation>Wählen: %1</translation>
    </message>
    <message>
        <source>Clear: %1</source>
        <comment>%1: a folder</comment>
        <translation>Leeren: %1</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open: %1</source>
        <comment>%1: a folder</comment>
        <translation>Öffnen: %1</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>Arbeitsbereich</translation>
    </message>
    <message>
        <source>Cache of tokenized text</source>
        <translation>Cache des tokenisierten Texts</translation>
    </message>
    <message>
        <source>New workspaces</source>
        <translation>Neue Arbeitsbereiche</translation>
    </message>
    <message>
        <source>Exports</source>
        <translation>Exporte</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Restart Batchwise with this workspace, page, run and draft</source>
        <translation>Batchwise neu starten, mit diesem Arbeitsbereich, dieser Seite, diesem Lauf und Entwurf</translation>
    </message>
    <message>
        <source>The language changes when Batchwise restarts.</source>
        <translation>Die Sprache wechselt, wenn Batchwise neu startet.</translation>
    </message>
    <message>
        <source>Next to the current workspace</source>
        <translation>Neben dem offenen Arbeitsbereich</translation>
    </message>
    <message>
        <source>The last folder used</source>
        <translation>Der zuletzt benutzte Ordner</translation>
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
        <source>Stages of the plan</source>
        <translation>Stufen des Plans</translation>
    </message>
    <message>
        <source>not known until the text is read</source>
        <translation>nicht bekannt, bis der Text gelesen ist</translation>
    </message>
    <message>
        <source>about %1, from the size of the text</source>
        <translation>etwa %1, aus der Größe des Texts</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a field and its value</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Beginning of the text</source>
        <translation>Anfang des Textes</translation>
    </message>
    <message>
        <source>No training text yet</source>
        <translation>Noch kein Trainingstext</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message numerus="yes">
        <source>All %n run(s)</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>Alle %n Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>Some settings need correction. The preview shows the last valid settings.</source>
        <translation>Einige Einstellungen sind zu berichtigen. Die Vorschau zeigt die letzten gültigen.</translation>
    </message>
    <message>
        <source>Assumed by the preview until the text has been read</source>
        <translation>Annahme der Vorschau, bis der Text gelesen ist</translation>
    </message>
    <message>
        <source>Runs to launch</source>
        <translation>Zu startende Läufe</translation>
    </message>
    <message>
        <source>Tokens, at most</source>
        <translation>Tokens, höchstens</translation>
    </message>
    <message>
        <source>Duration, at most</source>
        <translation>Dauer, höchstens</translation>
    </message>
    <message>
        <source>%1, from the last time the text was read</source>
        <translation>%1, vom letzten Lesen des Texts</translation>
    </message>
    <message>
        <source>Plan of the run</source>
        <translation>Plan des Laufs</translation>
    </message>
    <message>
        <source>Choose a run to see its plan</source>
        <translation>Einen Lauf wählen, um seinen Plan zu sehen</translation>
    </message>
    <message>
        <source>The preview shows run %1 of %2: %3</source>
        <comment>%3: its values</comment>
        <translation>Die Vorschau zeigt Lauf %1 von %2: %3</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Some settings need correction before there is a plan.</source>
        <translation>Einige Einstellungen müssen korrigiert werden, bevor es einen Plan gibt.</translation>
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
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
</context>
<context>
    <name>batchwise::QueuePane</name>
    <message>
        <source>Queue of runs</source>
        <translation>Warteschlange der Läufe</translation>
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
    <message>
        <source>Continue after a failure</source>
        <translation>Nach einem Fehler fortfahren</translation>
    </message>
    <message>
        <source>After a run fails, the queue starts the next one</source>
        <translation>Scheitert ein Lauf, startet die Warteschlange den nächsten</translation>
    </message>
    <message>
        <source>Remove ended entries from the queue; their runs are not deleted</source>
        <translation>Beendete Einträge aus der Warteschlange entfernen; ihre Läufe werden nicht gelöscht</translation>
    </message>
    <message>
        <source>No runs waiting</source>
        <translation>Keine Läufe warten</translation>
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
    <message>
        <source>Duplicate the run</source>
        <translation>Lauf duplizieren</translation>
    </message>
    <message>
        <source>It had not yet saved a checkpoint. Duplicate it to train it from the start.</source>
        <translation>Er hatte noch keinen Checkpoint gesichert. Duplizieren Sie ihn, um ihn von vorn zu trainieren.</translation>
    </message>
    <message>
        <source>None of its checkpoints can be used. Duplicate it to train it from the start.</source>
        <translation>Keiner seiner Checkpoints ist brauchbar. Duplizieren Sie ihn, um ihn von vorn zu trainieren.</translation>
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
        <source>Not possible</source>
        <translation>Nicht möglich</translation>
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
        <source>Otherwise the learning rate keeps its schedule and holds its last value</source>
        <translation>Sonst behält die Lernrate ihren Plan und hält ihren letzten Wert</translation>
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
        <source>Resume from %1</source>
        <translation>Fortsetzen ab %1</translation>
    </message>
    <message>
        <source>Restored</source>
        <translation>Wiederhergestellt</translation>
    </message>
    <message>
        <source>Repeated steps</source>
        <translation>Wiederholte Schritte</translation>
    </message>
    <message>
        <source>Checkpoint to resume from</source>
        <translation>Checkpoint, von dem fortgesetzt wird</translation>
    </message>
    <message>
        <source>Recompute the schedule for this length</source>
        <translation>Lernratenplan für diese Länge neu berechnen</translation>
    </message>
    <message>
        <source>Changes to the configuration</source>
        <translation>Änderungen an der Konfiguration</translation>
    </message>
    <message>
        <source>One per line, for example eval.interval=50ba</source>
        <translation>Je Zeile eine, zum Beispiel eval.interval=50ba</translation>
    </message>
    <message>
        <source>Name of the fork</source>
        <translation>Name der Abzweigung</translation>
    </message>
    <message>
        <source>A greater length extends the run, for example 4ep or 20000ba</source>
        <translation>Eine größere Länge verlängert den Lauf, zum Beispiel 4ep oder 20000ba</translation>
    </message>
    <message>
        <source>Name of the new run if you fork. A resumed run keeps its name</source>
        <translation>Name des neuen Laufs, wenn abgezweigt wird. Ein fortgesetzter Lauf behält seinen Namen</translation>
    </message>
    <message>
        <source>%1 with a number appended</source>
        <translation>%1 mit angehängter Nummer</translation>
    </message>
    <message>
        <source>None: the run continues unchanged</source>
        <translation>Keine: Der Lauf geht unverändert weiter</translation>
    </message>
    <message>
        <source>Fork: %1</source>
        <translation>Abzweigung: %1</translation>
    </message>
    <message>
        <source>Start a new run from the checkpoint; this run does not change</source>
        <translation>Einen neuen Lauf vom Checkpoint aus beginnen; dieser Lauf ändert sich nicht</translation>
    </message>
    <message>
        <source>New values</source>
        <translation>Neue Werte</translation>
    </message>
</context>
<context>
    <name>batchwise::RunCommands</name>
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
        <source>No workspace is open</source>
        <translation>Kein Arbeitsbereich ist offen</translation>
    </message>
    <message>
        <source>The configuration under Edit has errors</source>
        <translation>Die Konfiguration unter Bearbeiten hat Fehler</translation>
    </message>
    <message>
        <source>Train with the configuration under Edit on this machine when its turn comes</source>
        <translation>Mit der Konfiguration unter Bearbeiten auf diesem Rechner trainieren, wenn sie an der Reihe ist</translation>
    </message>
    <message>
        <source>Train with the configuration under Edit</source>
        <translation>Mit der Konfiguration unter Bearbeiten trainieren</translation>
    </message>
    <message>
        <source>The selected run is training</source>
        <translation>Der gewählte Lauf trainiert</translation>
    </message>
    <message>
        <source>The selected run has no checkpoint to resume from</source>
        <translation>Der gewählte Lauf hat keinen Checkpoint zum Fortsetzen</translation>
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
    <message>
        <source>They train one after the other.</source>
        <translation>Sie trainieren nacheinander.</translation>
    </message>
    <message>
        <source>Show the queue</source>
        <translation>Warteschlange zeigen</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Select a run that is training, or launch one</source>
        <translation>Einen Lauf wählen, der trainiert, oder einen starten</translation>
    </message>
    <message>
        <source>The run is already stopping</source>
        <translation>Der Lauf hält schon an</translation>
    </message>
    <message>
        <source>This queue trains on this machine. Slurm has its own queue: Launch submits the run to it</source>
        <translation>Diese Warteschlange trainiert auf diesem Rechner. Slurm hat eine eigene Warteschlange: Starten reiht den Lauf dort ein</translation>
    </message>
    <message>
        <source>Train with the configuration under Edit, in its own process because this program is already training a run</source>
        <translation>Mit der Konfiguration unter Bearbeiten trainieren, in einem eigenen Prozess, weil in diesem Programm schon ein Lauf trainiert</translation>
    </message>
    <message>
        <source>Train with the configuration under Edit, in its own process</source>
        <translation>Mit der Konfiguration unter Bearbeiten trainieren, in einem eigenen Prozess</translation>
    </message>
    <message>
        <source>Continue training</source>
        <translation>Weiter trainieren</translation>
    </message>
    <message>
        <source>Pause after the current step</source>
        <translation>Nach dem laufenden Schritt pausieren</translation>
    </message>
    <message>
        <source>End the training after the current global batch, with a checkpoint to resume from</source>
        <translation>Das Training nach dem laufenden globalen Batch beenden, mit einem Checkpoint zum Fortsetzen</translation>
    </message>
    <message>
        <source>End the training after the current step, with a checkpoint to resume from</source>
        <translation>Das Training nach dem laufenden Schritt beenden, mit einem Checkpoint zum Fortsetzen</translation>
    </message>
    <message>
        <source>End the training after the current step. Steps since the newest checkpoint are lost</source>
        <translation>Das Training nach dem laufenden Schritt beenden. Schritte seit dem neuesten Checkpoint gehen verloren</translation>
    </message>
    <message>
        <source>Select a run to resume</source>
        <translation>Einen Lauf zum Fortsetzen wählen</translation>
    </message>
    <message>
        <source>Start the queue?</source>
        <translation>Die Warteschlange starten?</translation>
    </message>
    <message numerus="yes">
        <source>The queue is stopped, and %n other run(s) wait in it.</source>
        <translation>
            <numerusform>Die Warteschlange ist angehalten, und in ihr wartet %n anderer Lauf.</numerusform>
            <numerusform>Die Warteschlange ist angehalten, und in ihr warten %n andere Läufe.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n new run(s) are trained by the queue, after those that wait.</source>
        <translation>
            <numerusform>%n neuer Lauf wird von der Warteschlange trainiert, nach denen, die warten.</numerusform>
            <numerusform>%n neue Läufe werden von der Warteschlange trainiert, nach denen, die warten.</numerusform>
        </translation>
    </message>
    <message>
        <source>Start the queue</source>
        <translation>Warteschlange starten</translation>
    </message>
    <message numerus="yes">
        <source>Open Edit, where %n run(s) can be reviewed and launched</source>
        <translation>
            <numerusform>Bearbeiten öffnen, wo %n Lauf geprüft und gestartet werden kann</numerusform>
            <numerusform>Bearbeiten öffnen, wo %n Läufe geprüft und gestartet werden können</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Train %n run(s) one after the other, by the queue</source>
        <translation>
            <numerusform>%n Lauf über die Warteschlange trainieren</numerusform>
            <numerusform>%n Läufe nacheinander über die Warteschlange trainieren</numerusform>
        </translation>
    </message>
    <message>
        <source>Review what resuming %1 changes, then resume it</source>
        <translation>Prüfen, was das Fortsetzen von %1 ändert, dann fortsetzen</translation>
    </message>
</context>
<context>
    <name>batchwise::RunListCommands</name>
    <message>
        <source>rename %1</source>
        <translation>%1 umbenennen</translation>
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
        <source>archive %1</source>
        <translation>Archivieren von %1</translation>
    </message>
    <message>
        <source>Run %1 is archived</source>
        <translation>Lauf %1 ist im Archiv</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>untick all runs</source>
        <translation>alle Haken entfernen</translation>
    </message>
    <message numerus="yes">
        <source>archive %n run(s)</source>
        <translation>
            <numerusform>%n Lauf archivieren</numerusform>
            <numerusform>%n Läufe archivieren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) are archived</source>
        <translation>
            <numerusform>%n Lauf ist archiviert</numerusform>
            <numerusform>%n Läufe sind archiviert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>change tags of %n run(s)</source>
        <translation>
            <numerusform>Schlagwörter von %n Lauf ändern</numerusform>
            <numerusform>Schlagwörter von %n Läufen ändern</numerusform>
        </translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Set tags</source>
        <translation>Schlagwörter setzen</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Note on the selected run (Markdown)</source>
        <translation>Notiz zum gewählten Lauf (Markdown)</translation>
    </message>
    <message>
        <source>Save note</source>
        <translation>Notiz speichern</translation>
    </message>
    <message>
        <source>Folder for the exported runs</source>
        <translation>Ordner für die exportierten Läufe</translation>
    </message>
    <message numerus="yes">
        <source>Only %1 of %n run(s) are ticked, the most that the charts can show</source>
        <translation>
            <numerusform>Nur %1 von %n Lauf ist angehakt, mehr können die Diagramme nicht zeigen</numerusform>
            <numerusform>Nur %1 von %n Läufen sind angehakt, mehr können die Diagramme nicht zeigen</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing was deleted.</source>
        <translation>Nichts wurde gelöscht.</translation>
    </message>
    <message>
        <source>Tags of the selected run, separated by commas</source>
        <translation>Schlagwörter des gewählten Laufs, durch Kommas getrennt</translation>
    </message>
    <message numerus="yes">
        <source>Tags that all %n selected run(s) have, separated by commas</source>
        <translation>
            <numerusform>Schlagwörter, die der gewählte Lauf hat, durch Kommas getrennt</numerusform>
            <numerusform>Schlagwörter, die alle %n gewählten Läufe haben, durch Kommas getrennt</numerusform>
        </translation>
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
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Erstellt</translation>
    </message>
    <message>
        <source>Tags: %1</source>
        <translation>Schlagwörter: %1</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Schlagwörter</translation>
    </message>
    <message>
        <source>Newest evaluation loss, nats per masked token</source>
        <translation>Neuester Verlust der Auswertung, Nats je maskiertem Token</translation>
    </message>
    <message>
        <source>Newest training loss, nats per masked token</source>
        <translation>Neuester Trainingsverlust, Nats je maskiertem Token</translation>
    </message>
    <message>
        <source>Share of the planned global batches</source>
        <translation>Anteil der geplanten globalen Batches</translation>
    </message>
    <message>
        <source>Speed (tok/s)</source>
        <translation>Geschwindigkeit (tok/s)</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Training time, without evaluation, checkpoints and pauses</source>
        <translation>Trainingszeit, ohne Auswertung, Checkpoints und Pausen</translation>
    </message>
    <message>
        <source>Exactly %1</source>
        <translation>Genau %1</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>Last evaluation loss (nats)</source>
        <translation>Auswertung, zuletzt (Nats)</translation>
    </message>
    <message>
        <source>Last loss (nats)</source>
        <translation>Verlust, zuletzt (Nats)</translation>
    </message>
</context>
<context>
    <name>batchwise::RunListPane</name>
    <message>
        <source>Filter runs</source>
        <translation>Läufe filtern</translation>
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
        <source>Columns…</source>
        <translation>Spalten …</translation>
    </message>
    <message>
        <source>Choose the columns of the table; drag their titles to order them</source>
        <translation>Spalten der Tabelle wählen; ihre Reihenfolge durch Ziehen der Titel ändern</translation>
    </message>
    <message>
        <source>Tick for charts and comparison</source>
        <translation>Für Diagramme und Vergleich anhaken</translation>
    </message>
    <message>
        <source>Compare the ticked runs</source>
        <translation>Angehakte Läufe vergleichen</translation>
    </message>
    <message>
        <source>Untick all runs</source>
        <translation>Alle Haken entfernen</translation>
    </message>
    <message>
        <source>Export the selected runs…</source>
        <translation>Gewählte Läufe exportieren …</translation>
    </message>
    <message numerus="yes">
        <source>Untick %n run(s)</source>
        <translation>
            <numerusform>Haken von %n Lauf entfernen</numerusform>
            <numerusform>Haken von %n Läufen entfernen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tick %n run(s) for charts and comparison</source>
        <translation>
            <numerusform>%n Lauf für Diagramme und Vergleich anhaken</numerusform>
            <numerusform>%n Läufe für Diagramme und Vergleich anhaken</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Compare %n run(s)</source>
        <translation>
            <numerusform>%n Lauf vergleichen</numerusform>
            <numerusform>%n Läufe vergleichen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tags of %n run(s)…</source>
        <translation>
            <numerusform>Schlagwörter von %n Lauf …</numerusform>
            <numerusform>Schlagwörter von %n Läufen …</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Archive %n run(s)</source>
        <translation>
            <numerusform>%n Lauf archivieren</numerusform>
            <numerusform>%n Läufe archivieren</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Export %n run(s)…</source>
        <translation>
            <numerusform>%n Lauf exportieren …</numerusform>
            <numerusform>%n Läufe exportieren …</numerusform>
        </translation>
    </message>
    <message>
        <source>Untick</source>
        <translation>Haken entfernen</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s), %1 shown, %2 ticked</source>
        <translation>
            <numerusform>%n Lauf, %1 gezeigt, %2 angehakt</numerusform>
            <numerusform>%n Läufe, %1 gezeigt, %2 angehakt</numerusform>
        </translation>
    </message>
    <message>
        <source>Words are searched in names, tags and notes. Conditions: optimizer.lr &gt; 1e-4 and (tag = ramp or status = finished). Fields of the configuration, name, tag, status, loss, eval_loss, ba, tok; = != &lt; &gt; ~ in, and or not.</source>
        <translation>Wörter werden in Namen, Schlagwörtern und Notizen gesucht. Bedingungen: optimizer.lr &gt; 1e-4 and (tag = ramp or status = finished). Felder der Konfiguration, name, tag, status, loss, eval_loss, ba, tok; = != &lt; &gt; ~ in, and or not.</translation>
    </message>
    <message>
        <source>Set as baseline</source>
        <translation>Als Basis setzen</translation>
    </message>
    <message>
        <source>No name, tag or note contains “%1”. A condition needs an operator, such as loss &lt; 2.5</source>
        <translation>Kein Name, kein Schlagwort und keine Notiz enthält „%1“. Eine Bedingung braucht einen Operator, wie loss &lt; 2.5</translation>
    </message>
    <message>
        <source>No runs yet. Press New run to create one.</source>
        <translation>Noch keine Läufe. Mit Neuer Lauf einen anlegen.</translation>
    </message>
    <message>
        <source>No workspace is open. Open one to see its runs.</source>
        <translation>Kein Arbeitsbereich ist offen. Öffnen Sie einen, um seine Läufe zu sehen.</translation>
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
    <name>batchwise::RunPresenter</name>
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
    <message>
        <source>This run is already training</source>
        <translation>Dieser Lauf trainiert schon</translation>
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
    <message>
        <source>Queue: %1</source>
        <translation>Warteschlange: %1</translation>
    </message>
    <message>
        <source>Show the queue</source>
        <translation>Warteschlange zeigen</translation>
    </message>
    <message>
        <source>Show the alerts</source>
        <translation>Warnungen zeigen</translation>
    </message>
    <message numerus="yes">
        <source>Queue: %n waiting</source>
        <translation>
            <numerusform>Warteschlange: %n wartet</numerusform>
            <numerusform>Warteschlange: %n warten</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Alerts: %n new</source>
        <translation>
            <numerusform>Warnungen: %n neue</numerusform>
            <numerusform>Warnungen: %n neue</numerusform>
        </translation>
    </message>
    <message>
        <source>Free space on the disk of the workspace</source>
        <translation>Freier Platz auf der Platte des Arbeitsbereichs</translation>
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
        <source>Alerts: %1 new</source>
        <translation>Warnungen: %1 neue</translation>
    </message>
</context>
<context>
    <name>batchwise::RunsTable</name>
    <message>
        <source>Size of the checkpoints</source>
        <translation>Größe der Checkpoints</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message numerus="yes">
        <source>%1 – %n run(s)</source>
        <translation>
            <numerusform>%1 – %n Lauf</numerusform>
            <numerusform>%1 – %n Läufe</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 – %n run(s), %2 counted</source>
        <translation>
            <numerusform>%1 – %n Lauf, %2 gezählt</numerusform>
            <numerusform>%1 – %n Läufe, %2 gezählt</numerusform>
        </translation>
    </message>
    <message>
        <source>Mean ± standard deviation of finished runs, of each seed the newest</source>
        <translation>Mittelwert ± Standardabweichung der fertigen Läufe, von jedem Startwert der neueste</translation>
    </message>
    <message>
        <source>%1, ticked, baseline</source>
        <translation>%1, angehakt, Basis</translation>
    </message>
    <message>
        <source>%1, ticked</source>
        <translation>%1, angehakt</translation>
    </message>
    <message>
        <source>The box ticks all shown runs, at most %1</source>
        <translation>Das Kästchen hakt alle gezeigten Läufe an, höchstens %1</translation>
    </message>
</context>
<context>
    <name>batchwise::RunsView</name>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
</context>
<context>
    <name>batchwise::SavingProgress</name>
    <message>
        <source>%1 Then the window closes.</source>
        <comment>what is done now</comment>
        <translation>%1 Danach schließt sich das Fenster.</translation>
    </message>
</context>
<context>
    <name>batchwise::SectionTable</name>
    <message>
        <source>Other parameters</source>
        <translation>Weitere Parameter</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Add row</source>
        <translation>Zeile hinzufügen</translation>
    </message>
    <message>
        <source>Add a row below the current one (Insert)</source>
        <translation>Eine Zeile unter der aktuellen hinzufügen (Einfg)</translation>
    </message>
    <message>
        <source>Remove row</source>
        <translation>Zeile entfernen</translation>
    </message>
    <message>
        <source>Remove the current row (Delete)</source>
        <translation>Die aktuelle Zeile entfernen (Entf)</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>Nach oben</translation>
    </message>
    <message>
        <source>Move the current row up (Alt+Up)</source>
        <translation>Die aktuelle Zeile nach oben schieben (Alt+Hoch)</translation>
    </message>
    <message>
        <source>Down</source>
        <translation>Nach unten</translation>
    </message>
    <message>
        <source>Move the current row down (Alt+Down)</source>
        <translation>Die aktuelle Zeile nach unten schieben (Alt+Runter)</translation>
    </message>
</context>
<context>
    <name>batchwise::SeriesChart</name>
    <message>
        <source>Chart: %1</source>
        <translation>Diagramm: %1</translation>
    </message>
</context>
<context>
    <name>batchwise::SeriesPanel</name>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Find a series</source>
        <translation>Reihe suchen</translation>
    </message>
    <message>
        <source>Series of the shown runs</source>
        <translation>Reihen der gezeigten Läufe</translation>
    </message>
    <message>
        <source>Drag a series onto a chart. Return or a double click adds a chart of the series</source>
        <translation>Eine Reihe auf ein Diagramm ziehen. Die Eingabetaste oder ein Doppelklick fügt ein Diagramm der Reihe hinzu</translation>
    </message>
</context>
<context>
    <name>batchwise::ShortcutEditor</name>
    <message>
        <source>Clear</source>
        <translation>Leeren</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Search commands</source>
        <translation>Befehle suchen</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Shortcut</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>Geltungsbereich</translation>
    </message>
    <message>
        <source>Commands and their shortcuts</source>
        <translation>Befehle und ihre Tastenkürzel</translation>
    </message>
    <message>
        <source>New shortcut of the selected command</source>
        <translation>Neues Tastenkürzel des gewählten Befehls</translation>
    </message>
    <message>
        <source>New shortcut</source>
        <translation>Neues Tastenkürzel</translation>
    </message>
    <message>
        <source>%1 is already the shortcut of “%2”. Choose another one, or change that shortcut first.</source>
        <translation>%1 ist schon das Tastenkürzel von „%2“. Ein anderes wählen oder zuerst jenes ändern.</translation>
    </message>
    <message>
        <source>Whole window</source>
        <translation>Ganzes Fenster</translation>
    </message>
    <message>
        <source>List or chart with the focus</source>
        <translation>Liste oder Diagramm mit dem Fokus</translation>
    </message>
</context>
<context>
    <name>batchwise::ShownRun</name>
    <message>
        <source>Run %1 was imported</source>
        <translation>Lauf %1 wurde importiert</translation>
    </message>
    <message>
        <source>Run %1 was imported into %2</source>
        <translation>Lauf %1 wurde in %2 importiert</translation>
    </message>
    <message>
        <source>The queue has started run %1</source>
        <translation>Die Warteschlange hat Lauf %1 gestartet</translation>
    </message>
    <message>
        <source>Run %1 has started</source>
        <translation>Lauf %1 hat begonnen</translation>
    </message>
    <message>
        <source>Run %1 has resumed</source>
        <translation>Lauf %1 wird fortgesetzt</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Add to the charts</source>
        <translation>Zu den Diagrammen hinzufügen</translation>
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
        <source>the limit of the partition</source>
        <translation>die Grenze der Partition</translation>
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
    <message>
        <source>Processes on each machine, one device each. With GPUs: one process per GPU</source>
        <translation>Prozesse auf jedem Rechner, jeder mit einem Gerät. Mit GPUs: ein Prozess je GPU</translation>
    </message>
    <message>
        <source>set by the cluster</source>
        <translation>vom Cluster vorgegeben</translation>
    </message>
    <message>
        <source>Minutes, h:mm:ss or d-hh:mm:ss. Shortly before the limit the run saves a checkpoint, and another job resumes it</source>
        <translation>Minuten, h:mm:ss oder t-hh:mm:ss. Kurz vor der Grenze sichert der Lauf einen Checkpoint, und ein weiterer Auftrag setzt ihn fort</translation>
    </message>
    <message>
        <source>set by the cluster; for example 64G</source>
        <translation>vom Cluster vorgegeben; zum Beispiel 64G</translation>
    </message>
    <message>
        <source>Loading the partitions of the cluster…</source>
        <translation>Partitionen des Clusters werden geladen …</translation>
    </message>
    <message>
        <source>The time limit &apos;%1&apos; is invalid; use minutes, h:mm:ss or d-hh:mm:ss</source>
        <translation>Die Zeitgrenze &apos;%1&apos; ist ungültig; erlaubt sind Minuten, h:mm:ss oder t-hh:mm:ss</translation>
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
    <name>batchwise::SweepWindow</name>
    <message>
        <source>Several runs</source>
        <translation>Mehrere Läufe</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>Name of the experiment</source>
        <translation>Name des Experiments</translation>
    </message>
    <message>
        <source>A list such as 1, 2, 3 or a range such as 1e-4..1e-2 x4 log. Every value is combined with every value of the other fields; ticked fields advance together instead.</source>
        <translation>Eine Liste wie 1, 2, 3 oder ein Bereich wie 1e-4..1e-2 x4 log. Jeder Wert wird mit jedem Wert der anderen Felder kombiniert; angehakte Felder schreiten stattdessen gemeinsam fort.</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>Feld</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>Gemeinsam</translation>
    </message>
    <message>
        <source>Add a field</source>
        <translation>Feld hinzufügen</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>Advance together</source>
        <translation>Gemeinsam fortschreiten</translation>
    </message>
    <message>
        <source>Remove this field</source>
        <translation>Dieses Feld entfernen</translation>
    </message>
    <message>
        <source>Takes the first value in the first run, the second in the second, like all ticked fields</source>
        <translation>Nimmt im ersten Lauf den ersten Wert, im zweiten den zweiten, wie alle angehakten Felder</translation>
    </message>
    <message>
        <source>Choose a field</source>
        <translation>Ein Feld wählen</translation>
    </message>
    <message>
        <source>Experiment: %1</source>
        <comment>%1: what is wrong</comment>
        <translation>Experiment: %1</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>und %n weiterer</numerusform>
            <numerusform>und %n weitere</numerusform>
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
        <source>%1, about %2 one after the other</source>
        <comment>%1: 6 runs, %2: a duration</comment>
        <translation>%1, nacheinander etwa %2</translation>
    </message>
    <message>
        <source>This field already has a row</source>
        <translation>Dieses Feld hat schon eine Zeile</translation>
    </message>
    <message>
        <source>Both: %1</source>
        <translation>Beide: %1</translation>
    </message>
    <message>
        <source>Values such as %1 or %2</source>
        <translation>Werte wie %1 oder %2</translation>
    </message>
    <message>
        <source>Two or more values, separated by commas. Each: %1</source>
        <translation>Zwei oder mehr Werte, durch Kommas getrennt. Jeder: %1</translation>
    </message>
    <message>
        <source>Two or more of: %1</source>
        <translation>Zwei oder mehr von: %1</translation>
    </message>
    <message>
        <source>%1; or %2</source>
        <comment>%1: values such as 1, 2, 3</comment>
        <translation>%1; oder %2</translation>
    </message>
    <message>
        <source>%1, of which %2 cannot start: %3</source>
        <comment>%1: 6 runs, %2: a number, %3: why</comment>
        <translation>%1, nicht startbar davon: %2 (%3)</translation>
    </message>
    <message>
        <source>Vary “%1” together with “%2”</source>
        <translation>„%1“ gemeinsam mit „%2“ variieren</translation>
    </message>
    <message>
        <source>“%1” needs other values where “%2” differs: adds it with %3</source>
        <translation>„%1“ braucht andere Werte, wo sich „%2“ unterscheidet: fügt es mit %3 hinzu</translation>
    </message>
</context>
<context>
    <name>batchwise::SwitchBox</name>
    <message>
        <source>On and off</source>
        <translation>An und aus</translation>
    </message>
    <message>
        <source>On</source>
        <translation>An</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
</context>
<context>
    <name>batchwise::ToolRow</name>
    <message>
        <source>More tools</source>
        <translation>Weitere Werkzeuge</translation>
    </message>
    <message>
        <source>Tools that do not fit here</source>
        <translation>Werkzeuge, die hier keinen Platz haben</translation>
    </message>
</context>
<context>
    <name>batchwise::TryPanel</name>
    <message>
        <source>Fill</source>
        <translation>Ausfüllen</translation>
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
        <source>Try the model</source>
        <translation>Das Modell ausprobieren</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Vergleichen mit</translation>
    </message>
    <message>
        <source>The newest checkpoint of another run fills in the same sentence</source>
        <translation>Der neueste Checkpoint eines anderen Laufs füllt denselben Satz aus</translation>
    </message>
    <message>
        <source>The model is filling in the sentence</source>
        <translation>Das Modell füllt den Satz aus</translation>
    </message>
    <message>
        <source>none</source>
        <comment>no other run</comment>
        <translation>keines</translation>
    </message>
    <message>
        <source>Add [MASK] to the sentence</source>
        <translation>[MASK] in den Satz einfügen</translation>
    </message>
    <message>
        <source>Predict the masked words with this checkpoint</source>
        <translation>Die maskierten Wörter mit diesem Checkpoint vorhersagen</translation>
    </message>
</context>
<context>
    <name>batchwise::ValuesPane</name>
    <message>
        <source>There is no comparison to export; tick runs first</source>
        <translation>Es gibt keinen Vergleich zu exportieren; zuerst Läufe anhaken</translation>
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
        <source>Metric</source>
        <translation>Messgröße</translation>
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
        <source>Export comparison as a report…</source>
        <translation>Vergleich als Bericht exportieren …</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>Webseite (*.html)</translation>
    </message>
    <message>
        <source>Export table of the comparison…</source>
        <translation>Tabelle des Vergleichs exportieren …</translation>
    </message>
    <message>
        <source>CSV (*.csv);;Markdown (*.md);;LaTeX (*.tex)</source>
        <translation>CSV (*.csv);;Markdown (*.md);;LaTeX (*.tex)</translation>
    </message>
    <message>
        <source>Export every point of the comparison…</source>
        <translation>Jeden Punkt des Vergleichs exportieren …</translation>
    </message>
    <message>
        <source>Export lines and bands of the groups…</source>
        <translation>Linien und Bänder der Gruppen exportieren …</translation>
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
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>Values of the runs next to those of the baseline</source>
        <translation>Werte der Läufe neben denen der Basis</translation>
    </message>
    <message>
        <source>Metric of the comparison</source>
        <translation>Messgröße des Vergleichs</translation>
    </message>
    <message>
        <source>Settings that differ among the runs</source>
        <translation>Einstellungen, in denen sich die Läufe unterscheiden</translation>
    </message>
    <message numerus="yes">
        <source>All %n row(s) copied as %1, including those that the parallel axes hide</source>
        <translation>
            <numerusform>%n Zeile als %1 kopiert, auch wenn die parallelen Achsen sie ausblenden</numerusform>
            <numerusform>Alle %n Zeilen als %1 kopiert, auch die, die von den parallelen Achsen ausgeblendet sind</numerusform>
        </translation>
    </message>
    <message>
        <source>Created %1.</source>
        <translation>Erstellt: %1.</translation>
    </message>
    <message>
        <source>%1 must end in .html, .csv, .md or .tex</source>
        <translation>%1 muss auf .html, .csv, .md oder .tex enden</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Hinweise</translation>
    </message>
    <message>
        <source>What to know about these values</source>
        <translation>Was zu diesen Werten zu wissen ist</translation>
    </message>
    <message>
        <source>Values cannot be compared over “%1”: they are taken at equal %2.</source>
        <translation>Über „%1“ lassen sich Werte nicht vergleichen; verglichen wird über: %2.</translation>
    </message>
    <message numerus="yes">
        <source>%n note(s)</source>
        <translation>
            <numerusform>%n Hinweis</numerusform>
            <numerusform>%n Hinweise</numerusform>
        </translation>
    </message>
    <message>
        <source>Differences (%1)</source>
        <translation>Unterschiede (%1)</translation>
    </message>
</context>
<context>
    <name>batchwise::WarningList</name>
    <message>
        <source>Go to this setting</source>
        <translation>Zu dieser Einstellung gehen</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>und %n weiterer</numerusform>
            <numerusform>und %n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>batchwise::WelcomePage</name>
    <message>
        <source>Train a BERT and watch it learn</source>
        <translation>Ein BERT trainieren und ihm beim Lernen zusehen</translation>
    </message>
    <message>
        <source>Try the demo</source>
        <translation>Die Demo ausprobieren</translation>
    </message>
    <message>
        <source>New run from a file…</source>
        <translation>Neuer Lauf aus einer Datei …</translation>
    </message>
    <message>
        <source>Open workspace…</source>
        <translation>Arbeitsbereich öffnen …</translation>
    </message>
    <message>
        <source>Train on my text</source>
        <translation>Mit meinem Text trainieren</translation>
    </message>
    <message>
        <source>Choose files or a folder, see what was found and how long a run takes, and launch it.</source>
        <translation>Dateien oder einen Ordner wählen, sehen, was gefunden wurde und wie lange ein Lauf dauert, und ihn starten.</translation>
    </message>
    <message>
        <source>Continue a model</source>
        <translation>Ein Modell weitertrainieren</translation>
    </message>
    <message>
        <source>Train a Hugging Face model, or the checkpoint of a run, further on your text.</source>
        <translation>Ein Modell von Hugging Face oder den Checkpoint eines Laufs mit eigenem Text weitertrainieren.</translation>
    </message>
    <message>
        <source>Bring my runs</source>
        <translation>Meine Läufe mitbringen</translation>
    </message>
    <message>
        <source>Recent workspaces</source>
        <translation>Zuletzt benutzte Arbeitsbereiche</translation>
    </message>
    <message>
        <source>Train a tiny model on generated text in about a minute.</source>
        <translation>Ein winziges Modell in etwa einer Minute mit erzeugtem Text trainieren.</translation>
    </message>
    <message>
        <source>Import archives of runs or another trainer&apos;s configuration, or open another workspace.</source>
        <translation>Archive von Läufen oder die Konfiguration eines anderen Trainers importieren oder einen anderen Arbeitsbereich öffnen.</translation>
    </message>
    <message>
        <source>New run from a recipe</source>
        <translation>Neuer Lauf nach einem Rezept</translation>
    </message>
</context>
<context>
    <name>batchwise::WindowActions</name>
    <message>
        <source>&amp;New run</source>
        <translation>&amp;Neuer Lauf</translation>
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
        <source>Train in &amp;this program</source>
        <translation>In &amp;diesem Programm trainieren</translation>
    </message>
    <message>
        <source>Train in its &amp;own process</source>
        <translation>Im &amp;eigenen Prozess trainieren</translation>
    </message>
    <message>
        <source>&amp;Find a command…</source>
        <translation>Befehl &amp;suchen …</translation>
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
        <source>Slurm &amp;job…</source>
        <translation>Slurm-&amp;Auftrag …</translation>
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
        <source>E&amp;xport the selected run…</source>
        <translation>Gewählten Lauf e&amp;xportieren …</translation>
    </message>
    <message>
        <source>New run from another &amp;trainer&apos;s file…</source>
        <translation>Neuer Lauf aus der Datei eines anderen &amp;Trainers …</translation>
    </message>
    <message>
        <source>Train &amp;on my text…</source>
        <translation>&amp;Mit meinem Text trainieren …</translation>
    </message>
    <message>
        <source>&amp;Continue a model…</source>
        <translation>Ein Modell &amp;weitertrainieren …</translation>
    </message>
    <message>
        <source>Train a Hugging Face model, or the checkpoint of a run, further on your text</source>
        <translation>Ein Modell von Hugging Face oder den Checkpoint eines Laufs mit eigenem Text weitertrainieren</translation>
    </message>
    <message>
        <source>Configure a run, starting from the demo settings</source>
        <translation>Einen Lauf einrichten, ausgehend von den Einstellungen der Demo</translation>
    </message>
    <message>
        <source>Convert a configuration of Composer, torchtune or DeepSpeed</source>
        <translation>Eine Konfiguration von Composer, torchtune oder DeepSpeed umwandeln</translation>
    </message>
    <message>
        <source>Configure a run like the selected one; the form marks what differs</source>
        <translation>Einen Lauf wie den gewählten einrichten; das Formular markiert, was abweicht</translation>
    </message>
    <message>
        <source>Duplicate as &amp;variant…</source>
        <translation>Als &amp;Variante duplizieren …</translation>
    </message>
    <message>
        <source>Configure a run like the selected one, as another variant of its experiment</source>
        <translation>Einen Lauf wie den gewählten einrichten, als weitere Variante seines Experiments</translation>
    </message>
    <message>
        <source>Write the configuration in the form to a file, for later or for the command line</source>
        <translation>Die Konfiguration des Formulars in eine Datei schreiben, für später oder für die Kommandozeile</translation>
    </message>
    <message>
        <source>&amp;Bring my runs…</source>
        <translation>Meine Läufe mitbrin&amp;gen …</translation>
    </message>
    <message>
        <source>Write the run with its metrics, its log and its newest checkpoint to one file</source>
        <translation>Den Lauf mit Messwerten, Protokoll und neuestem Checkpoint in eine Datei schreiben</translation>
    </message>
    <message>
        <source>&amp;Preferences…</source>
        <translation>&amp;Einstellungen …</translation>
    </message>
    <message>
        <source>Theme, text size, language, defaults, notifications, folders and shortcuts</source>
        <translation>Erscheinung, Schriftgröße, Sprache, Vorgaben, Benachrichtigungen, Ordner und Tastenkürzel</translation>
    </message>
    <message>
        <source>Continues when the window closes; if the run crashes, the window stays</source>
        <translation>Läuft weiter, wenn das Fenster schließt; stürzt der Lauf ab, bleibt das Fenster</translation>
    </message>
    <message>
        <source>Submits a job and follows it. The job continues when the window closes, and the next window follows it</source>
        <translation>Übergibt einen Auftrag und verfolgt ihn. Der Auftrag läuft weiter, wenn das Fenster schließt, und das nächste Fenster verfolgt ihn</translation>
    </message>
    <message>
        <source>Find a command, a run, a setting or a help page</source>
        <translation>Befehl, Lauf, Einstellung oder Hilfeseite suchen</translation>
    </message>
    <message>
        <source>Go to the &amp;messages</source>
        <translation>Zu den &amp;Meldungen</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>Choose text, see what was found and how long a run takes, and launch it</source>
        <translation>Text wählen, sehen, was gefunden wurde und wie lange ein Lauf dauert, und ihn starten</translation>
    </message>
    <message>
        <source>Import archives of runs or another trainer&apos;s configuration, or open another workspace</source>
        <translation>Archive von Läufen oder die Konfiguration eines anderen Trainers importieren oder einen anderen Arbeitsbereich öffnen</translation>
    </message>
    <message>
        <source>Stops when the window closes. One run at a time; other runs get their own processes</source>
        <translation>Endet mit dem Fenster. Ein Lauf zur selben Zeit; weitere bekommen eigene Prozesse</translation>
    </message>
    <message>
        <source>Move the keyboard focus to the messages; Escape closes them</source>
        <translation>Den Tastaturfokus in die Meldungen setzen; Escape schließt sie</translation>
    </message>
    <message>
        <source>&amp;Resume…</source>
        <translation>&amp;Fortsetzen …</translation>
    </message>
    <message>
        <source>New run from a &amp;recipe</source>
        <translation>Neuer Lauf nach einem Re&amp;zept</translation>
    </message>
    <message>
        <source>Continue a model on my text</source>
        <translation>Ein Modell auf meinem Text weiter trainieren</translation>
    </message>
    <message>
        <source>Adapt a trained encoder: a constant rate with 30 % of the tokens masked, then a short decay with 15 %</source>
        <translation>Einen trainierten Encoder anpassen: gleichbleibende Rate mit 30 % maskierten Tokens, dann kurzes Absinken mit 15 %</translation>
    </message>
    <message>
        <source>Train from nothing</source>
        <translation>Von Grund auf trainieren</translation>
    </message>
    <message>
        <source>A small ModernBERT and its vocabulary, from your text alone</source>
        <translation>Ein kleines ModernBERT und sein Vokabular, nur aus dem eigenen Text</translation>
    </message>
    <message>
        <source>ModernBERT&apos;s three phases</source>
        <translation>Die drei Phasen von ModernBERT</translation>
    </message>
    <message>
        <source>Short sequences, then long ones, then a decay, as published and scaled to this machine</source>
        <translation>Kurze Sequenzen, dann lange, dann Absinken der Rate, wie veröffentlicht und auf diese Maschine verkleinert</translation>
    </message>
    <message>
        <source>Ablation of batch ramps</source>
        <translation>Vergleich von Batch-Anläufen</translation>
    </message>
    <message>
        <source>Constant batch against ramps of three lengths, two seeds each</source>
        <translation>Gleichbleibender Batch gegen Anläufe dreier Längen, je zwei Startwerte</translation>
    </message>
</context>
<context>
    <name>batchwise::WindowDocks</name>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>Warnungen</translation>
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
    <message>
        <source>Runs table</source>
        <translation>Tabelle der Läufe</translation>
    </message>
    <message>
        <source>Open panes</source>
        <translation>Offene Bereiche</translation>
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
        <source>Copy the versions</source>
        <translation>Versionen kopieren</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Third-party parts</source>
        <translation>Teile von Dritten</translation>
    </message>
    <message>
        <source>Command, disabled</source>
        <translation>Befehl, nicht verfügbar</translation>
    </message>
    <message>
        <source>“%1” cannot be used now</source>
        <translation>„%1“ ist gerade nicht verfügbar</translation>
    </message>
    <message>
        <source>Field %1</source>
        <comment>%1: its name in the file</comment>
        <translation>Feld %1</translation>
    </message>
    <message>
        <source>Preference, %1</source>
        <comment>%1: a section</comment>
        <translation>Einstellung, %1</translation>
    </message>
    <message>
        <source>Help page</source>
        <translation>Hilfeseite</translation>
    </message>
    <message>
        <source>Several runs…</source>
        <translation>Mehrere Läufe …</translation>
    </message>
</context>
<context>
    <name>batchwise::WorkspacePresenter</name>
    <message>
        <source>%1 no longer contains a workspace. Is its disk mounted?</source>
        <translation>%1 enthält keinen Arbeitsbereich mehr. Ist die Platte eingehängt?</translation>
    </message>
</context>
<context>
    <name>batchwise::YamlEditor</name>
    <message>
        <source>Configuration as YAML text</source>
        <translation>Konfiguration als YAML-Text</translation>
    </message>
    <message>
        <source>Line %1: </source>
        <translation>Zeile %1: </translation>
    </message>
    <message>
        <source>Tab indents, Escape leaves the text, F8 goes to the next problem</source>
        <translation>Tab rückt ein, Escape verlässt den Text, F8 geht zum nächsten Problem</translation>
    </message>
    <message>
        <source>Correct…</source>
        <translation>Korrigieren …</translation>
    </message>
    <message>
        <source>Complete</source>
        <translation>Vervollständigen</translation>
    </message>
    <message>
        <source>Find…</source>
        <translation>Suchen …</translation>
    </message>
    <message>
        <source>Next problem</source>
        <translation>Nächstes Problem</translation>
    </message>
    <message>
        <source>Previous problem</source>
        <translation>Vorheriges Problem</translation>
    </message>
    <message>
        <source>Find in the text</source>
        <translation>Im Text suchen</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>Vorheriger</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Nächster</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s), F8 goes to the next. %1</source>
        <translation>
            <numerusform>%n Problem, F8 geht dorthin. %1</numerusform>
            <numerusform>%n Probleme, F8 geht zum nächsten. %1</numerusform>
        </translation>
    </message>
    <message>
        <source>No problems</source>
        <translation>Keine Probleme</translation>
    </message>
    <message>
        <source>No correction known for this line</source>
        <translation>Für diese Zeile ist keine Korrektur bekannt</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Ausschneiden</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Einfügen</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Alles auswählen</translation>
    </message>
    <message numerus="yes">
        <source>%n found</source>
        <translation>
            <numerusform>%n gefunden</numerusform>
            <numerusform>%n gefunden</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 Expected: %3.</source>
        <comment>a setting, its help, a whole number of samples</comment>
        <translation>%1: %2 Erwartet: %3.</translation>
    </message>
</context>
</TS>
