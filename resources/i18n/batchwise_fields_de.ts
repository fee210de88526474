<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!DOCTYPE TS>
<!-- Help and units of the fields of the configuration, whose English is declared with each field in core/config. -->
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name>FieldHelp</name>
        <message>
            <source>Version of this file format. Files of a later version need a later program.</source>
            <translation>Version dieses Dateiformats. Dateien einer späteren Version brauchen ein späteres Programm.</translation>
        </message>
        <message>
            <source>Name of the run in lists and charts. Empty: experiment, variant and seed, or without an experiment the date and time of the launch.</source>
            <translation>Name des Laufs in Listen und Diagrammen. Leer: Experiment, Variante und Startwert, ohne Experiment Tag und Uhrzeit des Starts.</translation>
        </message>
        <message>
            <source>Name shared by the runs that answer one question: variants, each with several seeds. Shown in lists, charts and reports; has no effect on the training.</source>
            <translation>Gemeinsamer Name der Läufe, die eine Frage beantworten: Varianten mit je mehreren Startwerten. Steht in Listen, Diagrammen und Berichten; wirkt nicht auf das Training.</translation>
        </message>
        <message>
            <source>What this run tries within its experiment, in a few words. Runs of one variant differ in the seed only.</source>
            <translation>Was dieser Lauf in seinem Experiment versucht, in wenigen Worten. Läufe einer Variante unterscheiden sich nur im Startwert.</translation>
        </message>
        <message>
            <source>Fields whose lists of values advance together: the first run has the first value of each, the second run the second. The lists have equal lengths. All other lists are combined with each other.</source>
            <translation>Felder, deren Wertelisten gemeinsam fortschreiten: Der erste Lauf hat von jeder den ersten Wert, der zweite den zweiten. Die Listen sind gleich lang. Alle anderen Listen werden miteinander kombiniert.</translation>
        </message>
        <message>
            <source>One number from which initial weights, data order, training masks and dropout follow. Equal seeds and settings give equal runs.</source>
            <translation>Eine Zahl, aus der Anfangsgewichte, Reihenfolge der Daten, Masken des Trainings und Dropout folgen. Gleiche Startwerte und Einstellungen geben gleiche Läufe.</translation>
        </message>
        <message>
            <source>Folder in the Hugging Face layout (config.json, model.safetensors) whose weights and sizes to start from. Empty: fresh weights.</source>
            <translation>Ordner im Format von Hugging Face (config.json, model.safetensors), mit dessen Gewichten und Größen begonnen wird. Leer: frische Gewichte.</translation>
        </message>
        <message>
            <source>Width of the encoder. Must be a multiple of num_attention_heads.</source>
            <translation>Breite des Encoders. Muss ein Vielfaches von num_attention_heads sein.</translation>
        </message>
        <message>
            <source>Depth of the encoder.</source>
            <translation>Tiefe des Encoders.</translation>
        </message>
        <message>
            <source>Attention heads per layer; each gets hidden_size / num_attention_heads features.</source>
            <translation>Attention-Köpfe je Schicht; jeder bekommt hidden_size / num_attention_heads Merkmale.</translation>
        </message>
        <message>
            <source>Dropout on attention weights. Above 0 a run repeats bit for bit only on the same device layout.</source>
            <translation>Dropout auf den Attention-Gewichten. Über 0 wiederholt sich ein Lauf nur bei gleicher Anordnung der Geräte Bit für Bit.</translation>
        </message>
        <message>
            <source>Weight of a penalty on the squared attention logits, which limits their growth. 0: none.</source>
            <translation>Gewicht einer Strafe auf die quadrierten Attention-Logits, die ihr Wachstum begrenzt. 0: keine.</translation>
        </message>
        <message>
            <source>Probability of leaving out a whole layer in a step, the same on all devices. Makes a step faster.</source>
            <translation>Wahrscheinlichkeit, in einem Schritt eine ganze Schicht auszulassen, dieselbe auf allen Geräten. Macht einen Schritt schneller.</translation>
        </message>
        <message>
            <source>Tokenizer to use: a folder with a tokenizer.json of Hugging Face (WordPiece, byte-level BPE, Unigram) or a vocab.txt (WordPiece), or the file itself. Empty: that of model.init_from, else one is trained on the training text.</source>
            <translation>Zu verwendender Tokenizer: ein Ordner mit einer tokenizer.json von Hugging Face (WordPiece, BPE auf Bytes, Unigram) oder einer vocab.txt (WordPiece), oder die Datei selbst. Leer: der von model.init_from, sonst wird einer auf dem Trainingstext trainiert.</translation>
        </message>
        <message>
            <source>Size of the vocabulary to train, special tokens included. Ignored with an existing vocabulary (tokenizer.path).</source>
            <translation>Größe des zu trainierenden Vokabulars, mit besonderen Tokens. Ohne Wirkung bei einem vorhandenen Vokabular (tokenizer.path).</translation>
        </message>
        <message>
            <source>Lowercase the text and strip accents, as bert-base-uncased does: with a vocab.txt and with a trained wordpiece vocabulary. A tokenizer.json, or the do_lower_case of a model folder, decides this itself.</source>
            <translation>Text kleinschreiben und Akzente entfernen wie bert-base-uncased: mit einer vocab.txt und mit einem trainierten WordPiece-Vokabular. Eine tokenizer.json, oder das do_lower_case eines Modellordners, legt das selbst fest.</translation>
        </message>
        <message>
            <source>Training text: files, folders or patterns such as text/*.txt, also .gz. Relative to the folder of this file.</source>
            <translation>Trainingstext: Dateien, Ordner oder Muster wie text/*.txt, auch .gz. Relativ zum Ordner dieser Datei.</translation>
        </message>
        <message>
            <source>Evaluation text, in the same forms. Empty: the share data.holdout of the training documents.</source>
            <translation>Text zur Auswertung, in denselben Formen. Leer: der Anteil data.holdout der Trainingsdokumente.</translation>
        </message>
        <message>
            <source>How documents are separated: text by blank lines, lines one per line, jsonl one JSON object per line (see text_field). demo generates its own text and needs no files.</source>
            <translation>Wie Dokumente getrennt sind: text durch Leerzeilen, lines eines je Zeile, jsonl ein JSON-Objekt je Zeile (siehe text_field). demo erzeugt eigenen Text und braucht keine Dateien.</translation>
        </message>
        <message>
            <source>Field of each JSON object that holds the text; for jsonl.</source>
            <translation>Feld jedes JSON-Objekts, das den Text enthält; für jsonl.</translation>
        </message>
        <message>
            <source>Longest sequence in tokens, [CLS] and [SEP] included. Longer documents are split; no text is lost.</source>
            <translation>Längste Sequenz in Tokens, mit [CLS] und [SEP]. Längere Dokumente werden geteilt; kein Text geht verloren.</translation>
        </message>
        <message>
            <source>Draw the samples of each epoch in a new order, which depends on seed and epoch. Off: the order of the files.</source>
            <translation>Die Beispiele jeder Epoche in neuer Reihenfolge ziehen, die von Startwert und Epoche abhängt. Aus: die Reihenfolge der Dateien.</translation>
        </message>
        <message>
            <source>Share of the tokens of each sequence to be predicted in training; at least one per sequence.</source>
            <translation>Anteil der Tokens jeder Sequenz, die im Training vorhergesagt werden; mindestens eines je Sequenz.</translation>
        </message>
        <message>
            <source>Fill sequences up with the next document. Off: a short document is a short sequence.</source>
            <translation>Sequenzen mit dem nächsten Dokument auffüllen. Aus: ein kurzes Dokument ist eine kurze Sequenz.</translation>
        </message>
        <message>
            <source>Share of the documents, chosen by their hash, held out for evaluation if data.eval is empty. 0: no evaluation.</source>
            <translation>Anteil der Dokumente, nach ihrer Prüfsumme gewählt, der ohne data.eval für die Auswertung zurückgehalten wird. 0: keine Auswertung.</translation>
        </message>
        <message>
            <source>The text of the demo follows from this number, independent of the seed of the run.</source>
            <translation>Der Text der Demo folgt aus dieser Zahl, unabhängig vom Startwert des Laufs.</translation>
        </message>
        <message>
            <source>How long the run is: epochs, global batches, samples, tokens or seconds of training.</source>
            <translation>Wie lang der Lauf ist: Epochen, globale Batches, Beispiele, Tokens oder Sekunden Training.</translation>
        </message>
        <message>
            <source>Stretches max_duration and the times of the schedule by this factor; warm-up only with scheduler.scale_warmup; never intervals or ramps.</source>
            <translation>Streckt max_duration und die Zeiten des Lernratenplans um diesen Faktor; das Aufwärmen nur mit scheduler.scale_warmup; nie Abstände oder Anstiege.</translation>
        </message>
        <message>
            <source>Samples of one global batch over all devices, the unit of logging, schedules and checkpoints. With batch.tokens: packs.</source>
            <translation>Beispiele eines globalen Batches über alle Geräte, die Einheit von Protokoll, Plänen und Checkpoints. Mit batch.tokens: Pakete.</translation>
        </message>
        <message>
            <source>Samples that one device computes at once; the rest is accumulated, with the same result. auto finds the largest that fits into memory.</source>
            <translation>Beispiele, die ein Gerät auf einmal rechnet; der Rest wird aufsummiert, mit demselben Ergebnis. auto findet die größte Zahl, die in den Speicher passt.</translation>
        </message>
        <message>
            <source>Whether auto rounds the micro-batch down to a power of two.</source>
            <translation>Ob auto den Mikrobatch auf eine Zweierpotenz abrundet.</translation>
        </message>
        <message>
            <source>Share of the memory limit that auto leaves free.</source>
            <translation>Anteil der Speichergrenze, den auto frei lässt.</translation>
        </message>
        <message>
            <source>Make the global batch the largest micro-batch that fits, times devices. Off: it is batch.global_train_batch_size.</source>
            <translation>Als globalen Batch den größten Mikrobatch nehmen, der passt, mal Geräte. Aus: Er ist batch.global_train_batch_size.</translation>
        </message>
        <message>
            <source>How long the batch size grows. Until then each global batch is split into smaller optimizer steps, so the clock and the data stay the same.</source>
            <translation>Wie lange die Batchgröße wächst. Bis dahin wird jeder globale Batch in kleinere Schritte zerlegt, so dass Uhr und Daten gleich bleiben.</translation>
        </message>
        <message>
            <source>Step size at the start of the ramp. auto: devices x micro-batch, the smallest without accumulation.</source>
            <translation>Schrittgröße am Anfang des Anstiegs. auto: Geräte x Mikrobatch, die kleinste ohne Aufsummieren.</translation>
        </message>
        <message>
            <source>doubling: each stage has twice the step size of the one before; linear: it grows by increment.</source>
            <translation>doubling: jede Stufe hat die doppelte Schrittgröße der vorigen; linear: sie wächst um increment.</translation>
        </message>
        <message>
            <source>Growth per stage of a linear ramp. auto: one micro-batch per device.</source>
            <translation>Zuwachs je Stufe eines linearen Anstiegs. auto: ein Mikrobatch je Gerät.</translation>
        </message>
        <message>
            <source>The ramp as a table instead of a duration: when each stage starts, and its step size. The last size is the global batch.</source>
            <translation>Der Anstieg als Tabelle statt einer Dauer: wann jede Stufe beginnt, und ihre Schrittgröße. Die letzte Größe ist der globale Batch.</translation>
        </message>
        <message>
            <source>Expression for the new global batch size, over epoch, current_batch_size, loss and noise_scale, such as epoch % 3 == 0 ? current_batch_size * 2 : current_batch_size. Empty: no growth.</source>
            <translation>Ausdruck für die neue globale Batchgröße, über epoch, current_batch_size, loss und noise_scale, etwa epoch % 3 == 0 ? current_batch_size * 2 : current_batch_size. Leer: kein Wachstum.</translation>
        </message>
        <message>
            <source>Like batch.growth.increase_function, but the expression gives the increment instead of the new size, as torchtune proposed. Set at most one of the two.</source>
            <translation>Wie batch.growth.increase_function, aber der Ausdruck gibt den Zuwachs statt der neuen Größe, wie von torchtune vorgeschlagen. Höchstens eines der beiden setzen.</translation>
        </message>
        <message>
            <source>How often the expression is evaluated, first after the ramp.</source>
            <translation>Wie oft der Ausdruck berechnet wird, zuerst nach dem Anstieg.</translation>
        </message>
        <message>
            <source>device_maximum stops growth at devices x largest micro-batch, with a note; none grows further by accumulation.</source>
            <translation>device_maximum hält das Wachstum bei Geräte x größter Mikrobatch an, mit Hinweis; none wächst durch Aufsummieren weiter.</translation>
        </message>
        <message>
            <source>Allows the expression to make the batch smaller. Off: a smaller result is replaced by the current size.</source>
            <translation>Lässt den Ausdruck den Batch verkleinern. Aus: ein kleineres Ergebnis wird durch die aktuelle Größe ersetzt.</translation>
        </message>
        <message>
            <source>Token budget: sequences are packed until this many tokens are reached, and every size that counts samples counts packs. none: no budget.</source>
            <translation>Tokenbudget: Sequenzen werden gepackt, bis so viele Tokens erreicht sind, und jede Größe, die Beispiele zählt, zählt Pakete. none: kein Budget.</translation>
        </message>
        <message>
            <source>Order in which sequences are packed: that of the epoch, a separate random order, or by length.</source>
            <translation>Reihenfolge, in der Sequenzen gepackt werden: die der Epoche, eine eigene zufällige, oder nach Länge.</translation>
        </message>
        <message>
            <source>A pack with fewer sequences counts as small; see on_small_pack.</source>
            <translation>Ein Paket mit weniger Sequenzen gilt als klein; siehe on_small_pack.</translation>
        </message>
        <message>
            <source>A pack is closed at this many sequences even if tokens are left. none or 0: no limit.</source>
            <translation>Ein Paket wird bei so vielen Sequenzen geschlossen, auch wenn Tokens übrig sind. none oder 0: keine Grenze.</translation>
        </message>
        <message>
            <source>Give all packs of one global batch the same number of sequences. Off: each pack is filled up to the token budget.</source>
            <translation>Allen Paketen eines globalen Batches gleich viele Sequenzen geben. Aus: Jedes Paket wird bis zum Tokenbudget gefüllt.</translation>
        </message>
        <message>
            <source>Count the packs of one global batch as padded to equal lengths in the plan's figures. The computation is unpadded either way.</source>
            <translation>Die Pakete eines globalen Batches in den Zahlen des Plans als auf gleiche Länge aufgefüllt zählen. Die Rechnung ist in jedem Fall ohne Auffüllung.</translation>
        </message>
        <message>
            <source>in_order fills pack after pack; best_fit puts each sequence where the least room is left, for a higher fill.</source>
            <translation>in_order füllt ein Paket nach dem anderen; best_fit legt jede Sequenz dorthin, wo am wenigsten Platz bleibt, für mehr Füllung.</translation>
        </message>
        <message>
            <source>What the budget counts: real tokens, or sequences x longest as a padding trainer would.</source>
            <translation>Was das Budget zählt: wirkliche Tokens, oder Sequenzen x längste wie ein auffüllender Trainer.</translation>
        </message>
        <message>
            <source>Whether a pack below min_batch_size is trained on or left out and listed.</source>
            <translation>Ob ein Paket unter min_batch_size trainiert oder weggelassen und genannt wird.</translation>
        </message>
        <message>
            <source>File with the length of each sample, ending with .u16 or .u32, or a folder (lengths.u32 in it), relative to this file. Created from the data if missing, otherwise compared with the data. The commands preview and batches read it instead of the text.</source>
            <translation>Datei mit der Länge jedes Beispiels, mit der Endung .u16 oder .u32, oder ein Ordner (darin lengths.u32), relativ zu dieser Datei. Wird aus den Daten erzeugt, wenn sie fehlt, sonst mit ihnen verglichen. Die Befehle preview und batches lesen sie anstelle des Texts.</translation>
        </message>
        <message>
            <source>Peak learning rate at the reference batch size (see lr_scaling); the scheduler's factor multiplies it.</source>
            <translation>Höchste Lernrate bei der Bezugsgröße des Batches (siehe lr_scaling); der Faktor des Plans multipliziert sie.</translation>
        </message>
        <message>
            <source>Decay rates of the running means of gradient and squared gradient.</source>
            <translation>Abklingraten der laufenden Mittel von Gradient und quadriertem Gradienten.</translation>
        </message>
        <message>
            <source>Added to the root of the squared mean; keeps a step finite where gradients vanish. The optimizer always computes in fp32, so the default of BERT and RoBERTa, 1e-6, suits every precision.</source>
            <translation>Wird zur Wurzel des quadrierten Mittels addiert; hält einen Schritt endlich, wo Gradienten verschwinden. Der Optimierer rechnet immer in fp32, darum passt der Vorgabewert von BERT und RoBERTa, 1e-6, zu jeder precision.</translation>
        </message>
        <message>
            <source>Decoupled weight decay per step, multiplied by the learning rate. Biases and layer norms are excluded.</source>
            <translation>Entkoppelte Gewichtsabnahme je Schritt, mal Lernrate. Biases und Layer-Normen sind ausgenommen.</translation>
        </message>
        <message>
            <source>Largest norm of the whole gradient; a larger gradient is scaled down to it. 0: no clipping.</source>
            <translation>Größte Norm des ganzen Gradienten; ein größerer wird darauf verkleinert. 0: kein Begrenzen.</translation>
        </message>
        <message>
            <source>How the learning rate changes over the run: the factor on optimizer.lr. Only schedules with a t_warmup start with a warm-up.</source>
            <translation>Wie sich die Lernrate über den Lauf ändert: der Faktor auf optimizer.lr. Nur Pläne mit t_warmup beginnen mit einem Aufwärmen.</translation>
        </message>
        <message>
            <source>Length of the rise from 0 to the full rate. auto: 6 % of t_max for schedules that have a warm-up (inverse_sqrt requires a value). 0ba: no rise.</source>
            <translation>Länge des Anstiegs von 0 zur vollen Lernrate. auto: 6 % von t_max bei Plänen mit einem Aufwärmen (inverse_sqrt braucht eine Angabe). 0ba: kein Anstieg.</translation>
        </message>
        <message>
            <source>When the schedule reaches its end. auto: the whole run.</source>
            <translation>Wann der Plan sein Ende erreicht. auto: der ganze Lauf.</translation>
        </message>
        <message>
            <source>step: how often the factor is multiplied by gamma.</source>
            <translation>step: wie oft der Faktor mit gamma multipliziert wird.</translation>
        </message>
        <message>
            <source>multistep: each time, once passed, multiplies the factor by gamma.</source>
            <translation>multistep: jede Zeit multipliziert, sobald sie vorbei ist, den Faktor mit gamma.</translation>
        </message>
        <message>
            <source>exponential: how long one multiplication by gamma takes. auto: one epoch.</source>
            <translation>exponential: wie lange eine Multiplikation mit gamma dauert. auto: eine Epoche.</translation>
        </message>
        <message>
            <source>cosine_annealing_warm_restarts: length of the first period.</source>
            <translation>cosine_annealing_warm_restarts: Länge der ersten Periode.</translation>
        </message>
        <message>
            <source>cosine_annealing_warm_restarts: each period is this many times as long as the one before. auto: 1.</source>
            <translation>cosine_annealing_warm_restarts: jede Periode ist so viele Male so lang wie die vorige. auto: 1.</translation>
        </message>
        <message>
            <source>warmup_stable_decay, one_minus_sqrt: length of the decay at the end. auto: 0.1dur.</source>
            <translation>warmup_stable_decay, one_minus_sqrt: Länge des Abfalls am Ende. auto: 0.1dur.</translation>
        </message>
        <message>
            <source>cosine_inverse_sqrt: length of the cosine decay after the warm-up. auto: 0.25dur.</source>
            <translation>cosine_inverse_sqrt: Länge des Kosinusabfalls nach dem Aufwärmen. auto: 0.25dur.</translation>
        </message>
        <message>
            <source>cosine_inverse_sqrt: length of the cool-down at the end.</source>
            <translation>cosine_inverse_sqrt: Länge des Ausklangs am Ende.</translation>
        </message>
        <message>
            <source>constant: the factor. auto: 1.</source>
            <translation>constant: der Faktor. auto: 1.</translation>
        </message>
        <message>
            <source>linear: factor at the start (after a warm-up). auto: 1.</source>
            <translation>linear: Faktor am Anfang (nach einem Aufwärmen). auto: 1.</translation>
        </message>
        <message>
            <source>Factor at the end. auto: 0.</source>
            <translation>Faktor am Ende. auto: 0.</translation>
        </message>
        <message>
            <source>cosine_inverse_sqrt: factor between cosine and inverse square root. auto: as published.</source>
            <translation>cosine_inverse_sqrt: Faktor zwischen Kosinus und inverser Quadratwurzel. auto: wie veröffentlicht.</translation>
        </message>
        <message>
            <source>step, multistep, exponential: what the factor is multiplied by. auto: 0.1 (exponential requires a value).</source>
            <translation>step, multistep, exponential: womit der Faktor multipliziert wird. auto: 0.1 (exponential braucht eine Angabe).</translation>
        </message>
        <message>
            <source>polynomial: the exponent.</source>
            <translation>polynomial: der Exponent.</translation>
        </message>
        <message>
            <source>inverse_sqrt: learning rate at the start of the warm-up. auto: 0.</source>
            <translation>inverse_sqrt: Lernrate am Anfang des Aufwärmens. auto: 0.</translation>
        </message>
        <message>
            <source>inverse_sqrt: the exponent of the decay. auto: 0.5.</source>
            <translation>inverse_sqrt: der Exponent des Abfalls. auto: 0.5.</translation>
        </message>
        <message>
            <source>cosine_inverse_sqrt: shape of the warm-up.</source>
            <translation>cosine_inverse_sqrt: Form des Aufwärmens.</translation>
        </message>
        <message>
            <source>cosine_inverse_sqrt: shape of the cool-down.</source>
            <translation>cosine_inverse_sqrt: Form des Ausklangs.</translation>
        </message>
        <message>
            <source>Whether scale_schedule_ratio stretches the warm-up too.</source>
            <translation>Ob scale_schedule_ratio auch das Aufwärmen streckt.</translation>
        </message>
        <message>
            <source>Factor of the first global batch of a warm-up of n: one gives 1/n; zero gives 0, as other trainers do.</source>
            <translation>Faktor des ersten globalen Batches eines Aufwärmens von n: one gibt 1/n; zero gibt 0, wie andere Trainer.</translation>
        </message>
        <message>
            <source>expression: the factor over ba, sp, tok and frac (share of the run done), such as max(0.1, 1 - frac). After t_max, frac and its clock no longer change.</source>
            <translation>expression: der Faktor über ba, sp, tok und frac (getaner Anteil des Laufs), etwa max(0.1, 1 - frac). Nach t_max ändern sich frac und seine Uhr nicht mehr.</translation>
        </message>
        <message>
            <source>chain: schedules one after the other. In each part the clocks start at 0 and dur means the part. One part has duration: rest.</source>
            <translation>chain: Pläne nacheinander. In jedem Teil beginnen die Uhren bei 0, und dur meint den Teil. Ein Teil hat duration: rest.</translation>
        </message>
        <message>
            <source>How the learning rate follows the size of a step. linear: lr x size / reference; sqrt: lr x sqrt(size / reference); none: it does not.</source>
            <translation>Wie die Lernrate der Größe eines Schritts folgt. linear: lr x Größe / Bezug; sqrt: lr x sqrt(Größe / Bezug); none: gar nicht.</translation>
        </message>
        <message>
            <source>Step size for which optimizer.lr was chosen, in the unit of lr_scaling.by: samples or tokens, never packs. auto: the global batch.</source>
            <translation>Schrittgröße, für die optimizer.lr gewählt wurde, in der Einheit von lr_scaling.by: Beispiele oder Tokens, nie Pakete. auto: der globale Batch.</translation>
        </message>
        <message>
            <source>Unit of the step size.</source>
            <translation>Einheit der Schrittgröße.</translation>
        </message>
        <message>
            <source>Which causes of an unusual step size change the rate: token budgets, growth, the ramp, the short last batch of an epoch. For any other cause the step counts as a full one.</source>
            <translation>Welche Ursachen einer ungewöhnlichen Schrittgröße die Lernrate ändern: Tokenbudget, Wachstum, Anstieg, der kurze letzte Batch einer Epoche. Bei jeder anderen Ursache zählt der Schritt als voller.</translation>
        </message>
        <message>
            <source>Number format of the computation; weights and optimizer state stay in fp32. auto: bf16 on GPUs that support it, else fp32, chosen at launch and then fixed. tf32 is fp32 with faster, less exact matrix products on GPUs. With fp16 the loss is scaled, and a step whose gradient overflows is skipped.</source>
            <translation>Zahlenformat der Rechnung; Gewichte und Zustand des Optimierers bleiben in fp32. auto: bf16 auf GPUs, die es können, sonst fp32, beim Start gewählt und dann fest. tf32 ist fp32 mit schnelleren, weniger genauen Matrixprodukten auf GPUs. Mit fp16 wird der Verlust skaliert, und ein Schritt, dessen Gradient überläuft, wird übersprungen.</translation>
        </message>
        <message>
            <source>Store only the input of each layer and recompute the rest in the backward pass: larger micro-batches for about a third more time. The numbers stay the same, bit for bit.</source>
            <translation>Nur die Eingabe jeder Schicht speichern und den Rest beim Rückwärtsgang neu berechnen: größere Mikrobatches für etwa ein Drittel mehr Zeit. Die Zahlen bleiben gleich, Bit für Bit.</translation>
        </message>
        <message>
            <source>auto (all GPUs, else the processor), cpu, cpu:4 (four devices on the processor), cuda (all GPUs), or cuda:0,1 (GPUs by number).</source>
            <translation>auto (alle GPUs, sonst der Prozessor), cpu, cpu:4 (vier Geräte auf dem Prozessor), cuda (alle GPUs), oder cuda:0,1 (GPUs nach Nummer).</translation>
        </message>
        <message>
            <source>Use only operations that repeat bit for bit. Off is for throughput: about 1 % on a GPU by estimate. A resumed run then gives close, not equal numbers.</source>
            <translation>Nur Operationen verwenden, die sich Bit für Bit wiederholen. Aus ist für den Durchsatz: auf einer GPU geschätzt etwa 1 %. Ein fortgesetzter Lauf gibt dann nahe, nicht gleiche Zahlen.</translation>
        </message>
        <message>
            <source>Memory per device that auto plans with and that tensors cannot exceed. On a GPU it replaces the full memory; on the processor it is the only limit.</source>
            <translation>Speicher je Gerät, mit dem auto plant und den Tensoren nicht überschreiten können. Auf einer GPU ersetzt er den vollen Speicher; auf dem Prozessor ist er die einzige Grenze.</translation>
        </message>
        <message>
            <source>Threads per device. auto: cores / devices, at least 1.</source>
            <translation>Threads je Gerät. auto: Kerne / Geräte, mindestens 1.</translation>
        </message>
        <message>
            <source>How often the model is evaluated; one time or several. auto: ten times per run, if there is evaluation text. []: no evaluation while training.</source>
            <translation>Wie oft das Modell ausgewertet wird; eine Zeit oder mehrere. auto: zehnmal im Lauf, wenn es Text zur Auswertung gibt. []: keine Auswertung während des Trainings.</translation>
        </message>
        <message>
            <source>Samples per device and pass in evaluation. auto: enough for 8,192 tokens, on a GPU 65,536.</source>
            <translation>Beispiele je Gerät und Durchgang bei der Auswertung. auto: genug für 8.192 Tokens, auf einer GPU 65.536.</translation>
        </message>
        <message>
            <source>The masks of an evaluation follow from this number and the text alone. Results of runs are comparable only if they have the same value.</source>
            <translation>Die Masken einer Auswertung folgen allein aus dieser Zahl und dem Text. Ergebnisse von Läufen sind nur bei gleichem Wert vergleichbar.</translation>
        </message>
        <message>
            <source>Share of the tokens of each sequence that an evaluation predicts, independent of the share in training.</source>
            <translation>Anteil der Tokens jeder Sequenz, die eine Auswertung vorhersagt, unabhängig vom Anteil im Training.</translation>
        </message>
        <message>
            <source>How often the whole state is saved; one time or several. It is also saved at the end and on a stop. auto: every 10 minutes, so a killed run loses no more than that. []: only at the end and on a stop.</source>
            <translation>Wie oft der ganze Zustand gesichert wird; eine Zeit oder mehrere. Er wird auch am Ende und beim Anhalten gesichert. auto: alle 10 Minuten, damit ein abgebrochener Lauf nicht mehr als das verliert. []: nur am Ende und beim Anhalten.</translation>
        </message>
        <message>
            <source>Number of newest checkpoints to keep.</source>
            <translation>Zahl der neuesten Checkpoints, die bleiben.</translation>
        </message>
        <message>
            <source>Number of best checkpoints by best_metric to keep in addition.</source>
            <translation>Zahl der besten Checkpoints nach best_metric, die zusätzlich bleiben.</translation>
        </message>
        <message>
            <source>Metric that selects the best: a lower loss or perplexity, or a higher accuracy.</source>
            <translation>Messgröße, die den besten bestimmt: kleinerer Verlust, kleinere Perplexität oder höhere Genauigkeit.</translation>
        </message>
        <message>
            <source>Checkpoints at multiples of this are never deleted automatically.</source>
            <translation>Checkpoints an Vielfachen hiervon werden nie automatisch gelöscht.</translation>
        </message>
        <message>
            <source>How often a row of metrics is recorded. 1ba: one for each global batch.</source>
            <translation>Wie oft eine Zeile Messwerte geschrieben wird. 1ba: eine je globalem Batch.</translation>
        </message>
        <message>
            <source>Record a row for every optimizer step in addition to that of the global batch.</source>
            <translation>Eine Zeile für jeden Schritt des Optimierers zusätzlich zu der des globalen Batches schreiben.</translation>
        </message>
        <message>
            <source>Measure the gradient noise scale (McCandlish et al. 2018) from the micro-batches of each step.</source>
            <translation>Das Rauschen des Gradienten (McCandlish et al. 2018) aus den Mikrobatches jedes Schritts messen.</translation>
        </message>
        <message>
            <source>After a step whose gradient is not finite (the weights did not change): continue, pause, stop with a checkpoint, or return to the last good checkpoint and skip the data since.</source>
            <translation>Nach einem Schritt, dessen Gradient nicht endlich ist (die Gewichte blieben unverändert): weitermachen, pausieren, mit Checkpoint anhalten, oder zum letzten guten Checkpoint zurückgehen und die Daten seither überspringen.</translation>
        </message>
        <message>
            <source>Skipped steps in a row after which the run stops anyway.</source>
            <translation>Übersprungene Schritte in Folge, nach denen der Lauf dennoch anhält.</translation>
        </message>
        <message>
            <source>How often guards may roll the run back; the next time it stops with a checkpoint.</source>
            <translation>Wie oft Wächter den Lauf zurücksetzen dürfen; beim nächsten Mal hält er mit Checkpoint an.</translation>
        </message>
        <message>
            <source>What to do when the loss of a step is more than sigma standard deviations above the mean of the window. skip: the optimizer skips that step. roll_back: return to the last good checkpoint and skip the data since.</source>
            <translation>Was geschieht, wenn der Verlust eines Schritts mehr als sigma Standardabweichungen über dem Mittel des Fensters liegt. skip: der Optimierer überspringt diesen Schritt. roll_back: zum letzten guten Checkpoint zurückgehen und die Daten seither überspringen.</translation>
        </message>
        <message>
            <source>How many standard deviations above the mean of the window a loss counts as a spike.</source>
            <translation>Ab wie vielen Standardabweichungen über dem Mittel des Fensters ein Verlust als Spitze zählt.</translation>
        </message>
        <message>
            <source>Number of steps that a loss is compared with. Spikes are detected once half of them are done.</source>
            <translation>Zahl der Schritte, mit denen ein Verlust verglichen wird. Spitzen werden erkannt, sobald die Hälfte davon getan ist.</translation>
        </message>
        <message>
            <source>What to do when the training loss no longer falls. stop: the run ends as finished, with a checkpoint.</source>
            <translation>Was geschieht, wenn der Trainingsverlust nicht mehr fällt. stop: der Lauf endet als fertig, mit Checkpoint.</translation>
        </message>
        <message>
            <source>The mean loss of the newer half of the window is compared with that of the older half.</source>
            <translation>Der mittlere Verlust der neueren Hälfte des Fensters wird mit dem der älteren verglichen.</translation>
        </message>
        <message>
            <source>The loss must fall by more than this; otherwise it counts as a plateau.</source>
            <translation>Der Verlust muss um mehr als dies fallen; sonst zählt er als Plateau.</translation>
        </message>
        <message>
            <source>What to do when the norm of the gradient, before clipping, exceeds the limit.</source>
            <translation>Was geschieht, wenn die Norm des Gradienten, vor dem Begrenzen, die Grenze übersteigt.</translation>
        </message>
        <message>
            <source>Largest gradient norm allowed, before clipping.</source>
            <translation>Größte erlaubte Gradientennorm, vor dem Begrenzen.</translation>
        </message>
        <message>
            <source>What to do when one step changes a weight matrix by more than the limit, as a share of its norm. Known only once the step is done, so it cannot be skipped.</source>
            <translation>Was geschieht, wenn ein Schritt eine Gewichtsmatrix um mehr als die Grenze ändert, als Anteil ihrer Norm. Erst bekannt, wenn der Schritt getan ist, also nicht überspringbar.</translation>
        </message>
        <message>
            <source>Largest norm of the change of a weight matrix over the norm of the matrix; 0.001 is usual.</source>
            <translation>Größte Norm der Änderung einer Gewichtsmatrix durch die Norm der Matrix; 0.001 ist üblich.</translation>
        </message>
        <message>
            <source>What to do when the largest attention logit of a step exceeds the limit; model.attention_logit_l2 keeps logits small.</source>
            <translation>Was geschieht, wenn der größte Attention-Logit eines Schritts die Grenze übersteigt; model.attention_logit_l2 hält Logits klein.</translation>
        </message>
        <message>
            <source>Largest attention logit allowed. The log-sum-exp of each row of logits is compared, which exceeds the largest logit by at most the logarithm of the sequence length.</source>
            <translation>Größter erlaubter Attention-Logit. Verglichen wird der Log-Sum-Exp jeder Zeile von Logits, der den größten Logit höchstens um den Logarithmus der Sequenzlänge übersteigt.</translation>
        </message>
        <message>
            <source>What to do when evaluations no longer improve. stop: the run ends as finished, with a checkpoint.</source>
            <translation>Was geschieht, wenn Auswertungen nicht mehr besser werden. stop: der Lauf endet als fertig, mit Checkpoint.</translation>
        </message>
        <message>
            <source>Metric to watch; a lower loss or perplexity, or a higher accuracy, is better.</source>
            <translation>Beobachtete Messgröße; kleinerer Verlust, kleinere Perplexität oder höhere Genauigkeit ist besser.</translation>
        </message>
        <message>
            <source>Evaluations in a row without a better result after which the guard acts.</source>
            <translation>Auswertungen in Folge ohne besseres Ergebnis, nach denen der Wächter eingreift.</translation>
        </message>
        <message>
            <source>A result counts as better if it beats the best by more than this.</source>
            <translation>Ein Ergebnis zählt als besser, wenn es das beste um mehr als dies übertrifft.</translation>
        </message>
        <message>
            <source>What to do when set-up, a step, an evaluation or a checkpoint makes no progress for longer than its limit. off: nothing happens; note: a message, repeated once at twice the limit; stop: at twice the limit the run ends as failed.</source>
            <translation>Was geschieht, wenn Vorbereitung, ein Schritt, eine Auswertung oder ein Checkpoint länger als seine Grenze keinen Fortschritt macht. off: nichts geschieht; note: eine Meldung, einmal wiederholt beim Doppelten der Grenze; stop: beim Doppelten der Grenze endet der Lauf als gescheitert.</translation>
        </message>
        <message>
            <source>The smallest limit; ten times this while fewer than three of a kind have been measured.</source>
            <translation>Die kleinste Grenze; das Zehnfache, solange weniger als drei einer Art gemessen sind.</translation>
        </message>
        <message>
            <source>The limit as a multiple of the median time of what is measured.</source>
            <translation>Die Grenze als Vielfaches des Medians der gemessenen Zeiten.</translation>
        </message>
        <message>
            <source>Where the run is started: on this machine.</source>
            <translation>Wo der Lauf gestartet wird: auf dieser Maschine.</translation>
        </message>
        <message>
            <source>Record the run in a journal next to the workspace's database instead of in the database itself; `batchwise runs sync` imports it. auto: if the workspace is on a network file system and another machine has its database open. A run is resumed where it is recorded, or after `runs sync`.</source>
            <translation>Den Lauf in einem Journal neben der Datenbank des Arbeitsbereichs aufzeichnen statt in der Datenbank selbst; `batchwise runs sync` importiert es. auto: wenn der Arbeitsbereich auf einem Netzlaufwerk liegt und eine andere Maschine seine Datenbank offen hat. Ein Lauf wird dort fortgesetzt, wo er aufgezeichnet ist, oder nach `runs sync`.</translation>
        </message>
        <message>
            <source>Wall-clock time that this process may run, such as the time limit of a cluster. Before that the run saves a checkpoint and stops, with room for the longest step and checkpoint so far. The count restarts at each resume.</source>
            <translation>Zeit, die dieser Prozess laufen darf, etwa die Zeitgrenze eines Clusters. Davor sichert der Lauf einen Checkpoint und hält an, mit Raum für den längsten Schritt und Checkpoint bisher. Zählt bei jedem Fortsetzen von vorn.</translation>
        </message>
        <message>
            <source>Words for finding the run.</source>
            <translation>Wörter, unter denen der Lauf zu finden ist.</translation>
        </message>
        <message>
            <source>One line on the reason for the run, shown with it.</source>
            <translation>Eine Zeile zum Grund des Laufs, die mit ihm gezeigt wird.</translation>
        </message>
        <message>
            <source>adamw: Adam with decoupled weight decay. stable_adamw: the same with smaller steps for tensors whose gradients outgrow their average, which makes grad_clip_norm superfluous.</source>
            <translation>adamw: Adam mit entkoppeltem Gewichtszerfall. stable_adamw: dasselbe mit kleineren Schritten für Tensoren, deren Gradienten über ihren Mittelwert hinauswachsen; das macht grad_clip_norm überflüssig.</translation>
        </message>
        <message>
            <source>Multiply weight_decay by learning rate / peak learning rate instead of the learning rate. To keep the same decay, multiply weight_decay by optimizer.lr: 0.01 at lr 1e-3 becomes 1e-5.</source>
            <translation>weight_decay mit Lernrate / höchste Lernrate statt mit der Lernrate malnehmen. Für denselben Zerfall weight_decay mit optimizer.lr malnehmen: 0.01 bei lr 1e-3 wird 1e-5.</translation>
        </message>
        <message>
            <source>warmup_stable_decay: shape of the decay; 1-sqrt falls fast at first (Haegele et al. 2024).</source>
            <translation>warmup_stable_decay: Form des Abfalls; 1-sqrt fällt anfangs schnell (Haegele et al. 2024).</translation>
        </message>
        <message>
            <source>Evaluation texts with names, each a series of its own: {own: [own.txt], general: {text: [wiki.txt], weight: 0.5}}. eval.loss is the mean over the sets by weight. data.eval, or else the held-out share, is one more set of weight 1, named eval or held_out. Empty: that set alone.</source>
            <translation>Auswertungstexte mit Namen, jeder mit eigener Messreihe: {own: [own.txt], general: {text: [wiki.txt], weight: 0.5}}. eval.loss ist ihr gewichtetes Mittel. data.eval, sonst der zurückgehaltene Anteil, ist ein weiterer Text mit dem Gewicht 1 und dem Namen eval oder held_out. Leer: nur dieser.</translation>
        </message>
        <message>
            <source>Kind of vocabulary to train: wordpiece as BERT, or byte_bpe (byte-level byte-pair encoding), which knows every character and is never lowercased. Ignored with an existing vocabulary (tokenizer.path).</source>
            <translation>Art des Vokabulars, das trainiert wird: wordpiece wie BERT oder byte_bpe (Byte-Pair-Encoding auf Bytes), das jedes Zeichen kennt und nie in Kleinbuchstaben umwandelt. Ohne Wirkung bei einem vorhandenen Vokabular (tokenizer.path).</translation>
        </message>
        <message>
            <source>Share of predicted tokens at the end of the run, or of the stage that sets it; it changes linearly from data.mlm_probability. auto: it stays the same.</source>
            <translation>Anteil der vorherzusagenden Tokens am Ende des Laufs oder der Phase, die es setzt; er ändert sich linear ab data.mlm_probability. auto: Er bleibt gleich.</translation>
        </message>
        <message>
            <source>What training masks together: single tokens, or all tokens of a word (whole-word masking). Evaluations mask single tokens.</source>
            <translation>Was das Training gemeinsam maskiert: einzelne Tokens oder alle Tokens eines Wortes (Whole-Word-Masking). Auswertungen maskieren einzelne Tokens.</translation>
        </message>
        <message>
            <source>With join_documents: [SEP] and [CLS] between the documents of a sequence. Off: they follow one another without a mark, which needs data.attention_across_documents.</source>
            <translation>Mit join_documents: [SEP] und [CLS] zwischen den Dokumenten einer Sequenz. Aus: Sie folgen ohne Trennzeichen aufeinander; das braucht data.attention_across_documents.</translation>
        </message>
        <message>
            <source>With join_documents: tokens also attend to the other documents of their sequence. Off: each document is computed as if it stood alone.</source>
            <translation>Mit join_documents: Tokens beachten auch die anderen Dokumente ihrer Sequenz. Aus: Jedes Dokument wird berechnet, als stünde es allein.</translation>
        </message>
        <message>
            <source>Architecture of the encoder. auto: that of model.init_from, else bert. modernbert: rotary positions, gated feed-forward, windows of local attention; eurobert: rotary positions, SwiGLU, grouped key and value heads.</source>
            <translation>Architektur des Encoders. auto: die von model.init_from, sonst bert. modernbert: Rotationspositionen, Feed-forward-Teil mit Gate, lokale Attention in Fenstern; eurobert: Rotationspositionen, SwiGLU, gruppierte Key- und Value-Köpfe.</translation>
        </message>
        <message>
            <source>Named sizes of the family: tiny, mini and small to try out, base and large as published; eurobert also 210m, 610m and 2.1b. The sizes below override it one by one.</source>
            <translation>Benannte Größen der Familie: tiny, mini und small zum Ausprobieren, base und large wie veröffentlicht; eurobert auch 210m, 610m und 2.1b. Die Größen darunter ersetzen sie einzeln.</translation>
        </message>
        <message>
            <source>Folder of a smaller model of the same family whose weights fill the larger one by repetition, as ModernBERT-large was initialized from ModernBERT-base. Empty: fresh weights.</source>
            <translation>Ordner eines kleineren Modells derselben Familie, dessen Gewichte das größere durch Wiederholung füllen, wie ModernBERT-large aus ModernBERT-base initialisiert wurde. Leer: neue Gewichte.</translation>
        </message>
        <message>
            <source>eurobert: heads of keys and values, each shared by a group of attention heads. auto: that of the preset.</source>
            <translation>eurobert: Key- und Value-Köpfe, die sich je eine Gruppe von Attention-Köpfen teilt. auto: die Zahl der Größe.</translation>
        </message>
        <message>
            <source>Width inside the feed-forward part; in BERT usually 4 x hidden_size.</source>
            <translation>Breite im Feed-forward-Teil; bei BERT meist 4 x hidden_size.</translation>
        </message>
        <message>
            <source>Longest sequence that the model is built for; at least data.max_seq_len. In bert and roberta the number of learned positions.</source>
            <translation>Längste Sequenz, für die das Modell gebaut ist; mindestens data.max_seq_len. Bei bert und roberta die Zahl der gelernten Positionen.</translation>
        </message>
        <message>
            <source>bert, roberta: number of segment types. Training uses type 0; the others are only exported.</source>
            <translation>bert, roberta: Zahl der Segmenttypen. Das Training verwendet Typ 0; die anderen werden nur exportiert.</translation>
        </message>
        <message>
            <source>Rounds the rows of the word embeddings up to a multiple of this, which GPUs compute faster, such as 64; the added rows stand for no token.</source>
            <translation>Rundet die Zeilen der Wort-Embeddings auf ein Vielfaches davon auf, mit dem GPUs schneller rechnen, etwa 64; die zusätzlichen Zeilen stehen für kein Token.</translation>
        </message>
        <message>
            <source>If the tokenizer has tokens that model.init_from does not have, add embeddings for them, initialized with the mean of the known ones. Off: such a tokenizer is refused.</source>
            <translation>Hat der Tokenizer Tokens, die model.init_from nicht hat, werden Embeddings für sie angefügt, die mit dem Mittel der bekannten beginnen. Aus: Ein solcher Tokenizer wird abgelehnt.</translation>
        </message>
        <message>
            <source>modernbert: every n-th layer, from the first on, attends to the whole sequence, the others to a window.</source>
            <translation>modernbert: Jede n-te Schicht, beginnend mit der ersten, beachtet die ganze Sequenz, die anderen ein Fenster.</translation>
        </message>
        <message>
            <source>modernbert: window of the local layers; half of it on each side of a token.</source>
            <translation>modernbert: Fenster der lokalen Schichten; je die Hälfte davon auf jeder Seite eines Tokens.</translation>
        </message>
        <message>
            <source>Base of the rotary positions in layers with global attention; larger for longer sequences.</source>
            <translation>Basis der Rotationspositionen in Schichten mit globaler Attention; größer für längere Sequenzen.</translation>
        </message>
        <message>
            <source>modernbert: base of the rotary positions in the local layers.</source>
            <translation>modernbert: Basis der Rotationspositionen in den lokalen Schichten.</translation>
        </message>
        <message>
            <source>Activation of the feed-forward part; gelu_new is the tanh form. auto: that of the family.</source>
            <translation>Aktivierung des Feed-forward-Teils; gelu_new ist die Form mit tanh. auto: die der Familie.</translation>
        </message>
        <message>
            <source>Share of hidden features that dropout sets to zero. The choice depends on seed and position only, never on devices or micro-batch. auto: 0.1 in bert and roberta, 0 in the others.</source>
            <translation>Anteil der verborgenen Merkmale, die Dropout auf null setzt. Die Auswahl hängt nur von Startwert und Position ab, nie von Geräten oder Micro-Batch. auto: 0.1 bei bert und roberta, 0 bei den anderen.</translation>
        </message>
        <message>
            <source>Standard deviation of fresh weights. auto: 0.02.</source>
            <translation>Standardabweichung neuer Gewichte. auto: 0.02.</translation>
        </message>
        <message>
            <source>Added to the variance in norms, which are always computed in fp32. auto: that of model.init_from, else 1e-12 in bert and 1e-5 in the other families. Deep models train more stably with 1e-5.</source>
            <translation>Wird in Normen, die immer in fp32 berechnet werden, zur Varianz addiert. auto: der Wert von model.init_from, sonst 1e-12 bei bert und 1e-5 bei den anderen Familien. Tiefe Modelle trainieren mit 1e-5 stabiler.</translation>
        </message>
        <message>
            <source>bert: position of the layer norms: post as published; pre is more stable in deep models, but cannot be exported. auto: that of the family.</source>
            <translation>bert: Stelle der Layer-Normen: post wie veröffentlicht; pre ist in tiefen Modellen stabiler, kann aber nicht exportiert werden. auto: die der Familie.</translation>
        </message>
        <message>
            <source>The output layer shares its weights with the word embeddings. auto: that of model.init_from, else yes but for eurobert and neobert.</source>
            <translation>Die Ausgabeschicht teilt ihre Gewichte mit den Wort-Embeddings. auto: wie in model.init_from, sonst ja außer bei eurobert und neobert.</translation>
        </message>
        <message>
            <source>Parts of the run, one after the other, each with its end and what it changes: [{until: 0.8dur}, {until: 1dur, data.max_seq_len: 512, data.mlm_probability: 0.15}]. Weights, optimizer state and clocks carry over, and evaluations stay those of the run. dur in the schedule or batch plan of a stage means the stage; a stage without its own schedule continues that of the run. Empty: a run of one stage.</source>
            <translation>Phasen des Laufs, eine nach der anderen, jede mit ihrem Ende und dem, was sie ändert: [{until: 0.8dur}, {until: 1dur, data.max_seq_len: 512, data.mlm_probability: 0.15}]. Gewichte, Zustand des Optimierers und Uhren laufen weiter, und die Auswertungen bleiben die des Laufs. dur in Lernratenverlauf und Batchplan einer Phase meint die Phase; eine Phase ohne eigenen Verlauf setzt den des Laufs fort. Leer: ein Lauf mit einer Phase.</translation>
        </message>
    </context>
</TS>
