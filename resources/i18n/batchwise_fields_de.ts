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
            <source>What the run is called in lists and charts. Left out: the date and time of the launch.</source>
            <translation>Wie der Lauf in Listen und Diagrammen heißt. Ohne Angabe: Tag und Uhrzeit des Starts.</translation>
        </message>
        <message>
            <source>One number from which initial weights, data order, masks and dropout follow. Equal seeds and settings give equal runs.</source>
            <translation>Eine Zahl, aus der Anfangsgewichte, Reihenfolge der Daten, Masken und Dropout folgen. Gleiche Startwerte und Einstellungen geben gleiche Läufe.</translation>
        </message>
        <message>
            <source>BERT sizes as published, layers x width: tiny 2x128, mini 4x256, small 4x512, base 12x768, large 24x1024. The sizes below override it one by one.</source>
            <translation>BERT-Größen wie veröffentlicht, Schichten x Breite: tiny 2x128, mini 4x256, small 4x512, base 12x768, large 24x1024. Die Größen darunter ersetzen sie einzeln.</translation>
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
            <source>Width inside the feed-forward part; usually 4 x hidden_size.</source>
            <translation>Breite im Feed-forward-Teil; meist 4 x hidden_size.</translation>
        </message>
        <message>
            <source>Positions with a learned embedding; at least data.max_seq_len.</source>
            <translation>Stellen mit gelernter Einbettung; mindestens data.max_seq_len.</translation>
        </message>
        <message>
            <source>Segment types. Training uses type 0; others are kept for export.</source>
            <translation>Segmenttypen. Das Training nutzt Typ 0; andere bleiben für die Ausgabe erhalten.</translation>
        </message>
        <message>
            <source>Activation of the feed-forward part; gelu_new is the tanh form.</source>
            <translation>Aktivierung des Feed-forward-Teils; gelu_new ist die Form mit tanh.</translation>
        </message>
        <message>
            <source>Share of hidden features that dropout sets to zero. The choice depends on seed and position only, never on devices or micro-batch.</source>
            <translation>Anteil der verborgenen Merkmale, die Dropout auf null setzt. Die Wahl hängt nur von Startwert und Stelle ab, nie von Geräten oder Mikrobatch.</translation>
        </message>
        <message>
            <source>Dropout on attention weights. Above 0 a run repeats bit for bit only on the same device layout.</source>
            <translation>Dropout auf den Attention-Gewichten. Über 0 wiederholt sich ein Lauf nur bei gleicher Anordnung der Geräte Bit für Bit.</translation>
        </message>
        <message>
            <source>Standard deviation of fresh weights.</source>
            <translation>Standardabweichung frischer Gewichte.</translation>
        </message>
        <message>
            <source>Added to the variance in layer norms, which are computed in fp32 whatever precision says. auto: that of model.init_from, else BERT's 1e-12; deep models train more safely with 1e-5.</source>
            <translation>Wird in Layer-Normen zur Varianz addiert, die in fp32 berechnet werden, was auch immer precision sagt. auto: der Wert von model.init_from, sonst 1e-12 wie bei BERT; tiefe Modelle trainieren mit 1e-5 sicherer.</translation>
        </message>
        <message>
            <source>Where layer norms stand: post as in BERT (weights interchange with Hugging Face), pre is steadier in deep models.</source>
            <translation>Wo Layer-Normen stehen: post wie in BERT (Gewichte mit Hugging Face austauschbar), pre ist in tiefen Modellen ruhiger.</translation>
        </message>
        <message>
            <source>Weight of a penalty on the squared attention logits; keeps them from growing without end. 0: none.</source>
            <translation>Gewicht einer Strafe auf die quadrierten Attention-Logits; hält sie davon ab, endlos zu wachsen. 0: keine.</translation>
        </message>
        <message>
            <source>Probability of leaving out a whole layer in a step, the same on all devices. Makes a step faster.</source>
            <translation>Wahrscheinlichkeit, in einem Schritt eine ganze Schicht auszulassen, dieselbe auf allen Geräten. Macht einen Schritt schneller.</translation>
        </message>
        <message>
            <source>The output layer shares its weights with the word embeddings, as in BERT.</source>
            <translation>Die Ausgabeschicht teilt ihre Gewichte mit den Worteinbettungen, wie in BERT.</translation>
        </message>
        <message>
            <source>Folder with a vocab.txt (WordPiece) to use. Empty: a vocabulary is trained on the training text.</source>
            <translation>Ordner mit einer vocab.txt (WordPiece). Leer: ein Vokabular wird auf dem Trainingstext trainiert.</translation>
        </message>
        <message>
            <source>Size of the vocabulary to train, special tokens included. Without meaning when tokenizer.path is given.</source>
            <translation>Größe des zu trainierenden Vokabulars, mit besonderen Tokens. Ohne Bedeutung, wenn tokenizer.path angegeben ist.</translation>
        </message>
        <message>
            <source>Lowercase the text and strip accents, as bert-base-uncased does.</source>
            <translation>Kleinschreibung und Weglassen von Akzenten, wie bei bert-base-uncased.</translation>
        </message>
        <message>
            <source>Training text: files, folders or patterns such as text/*.txt, also .gz. Relative to the folder of this file.</source>
            <translation>Trainingstext: Dateien, Ordner oder Muster wie text/*.txt, auch .gz. Relativ zum Ordner dieser Datei.</translation>
        </message>
        <message>
            <source>Evaluation text, in the same forms. Left out: the share data.holdout of the training documents.</source>
            <translation>Text zur Auswertung, in denselben Formen. Ohne Angabe: der Anteil data.holdout der Trainingsdokumente.</translation>
        </message>
        <message>
            <source>How documents are told apart: text by blank lines, lines one per line, jsonl one JSON object per line (see text_field); demo makes a corpus of its own and needs no files.</source>
            <translation>Wie Dokumente getrennt sind: text durch Leerzeilen, lines eines je Zeile, jsonl ein JSON-Objekt je Zeile (siehe text_field); demo macht einen eigenen Text und braucht keine Dateien.</translation>
        </message>
        <message>
            <source>Field of each JSON object that holds the text; for jsonl.</source>
            <translation>Feld jedes JSON-Objekts, das den Text enthält; für jsonl.</translation>
        </message>
        <message>
            <source>Longest sequence, [CLS] and [SEP] included. Longer documents are cut into pieces, none is lost.</source>
            <translation>Längste Sequenz, mit [CLS] und [SEP]. Längere Dokumente werden zerschnitten, nichts geht verloren.</translation>
        </message>
        <message>
            <source>Draw the samples of each epoch in an order of its own, given by seed and epoch. Off: the order of the files.</source>
            <translation>Die Beispiele jeder Epoche in eigener Reihenfolge ziehen, die aus Startwert und Epoche folgt. Aus: die Reihenfolge der Dateien.</translation>
        </message>
        <message>
            <source>Share of the tokens of each sequence to be predicted; at least one per sequence.</source>
            <translation>Anteil der Tokens jeder Sequenz, die vorhergesagt werden; mindestens eines je Sequenz.</translation>
        </message>
        <message>
            <source>Fill sequences up with the next document. Off: a short document is a short sequence.</source>
            <translation>Sequenzen mit dem nächsten Dokument auffüllen. Aus: ein kurzes Dokument ist eine kurze Sequenz.</translation>
        </message>
        <message>
            <source>Share of the documents, chosen by their hash, kept for evaluation when data.eval is left out. 0: no evaluation.</source>
            <translation>Anteil der Dokumente, nach ihrer Prüfsumme gewählt, der ohne data.eval zur Auswertung bleibt. 0: keine Auswertung.</translation>
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
            <source>The global batch is the largest micro-batch that fits, times devices.</source>
            <translation>Der globale Batch ist der größte Mikrobatch, der passt, mal Geräte.</translation>
        </message>
        <message>
            <source>How long the batch size grows. Until then each global batch is cut into smaller optimizer steps, so the clock and the data stay the same.</source>
            <translation>Wie lange die Batchgröße wächst. Bis dahin wird jeder globale Batch in kleinere Schritte zerlegt, so dass Uhr und Daten gleich bleiben.</translation>
        </message>
        <message>
            <source>Step size at the start of the ramp. auto: devices x micro-batch, the least that needs no accumulation.</source>
            <translation>Schrittgröße am Anfang des Anstiegs. auto: Geräte x Mikrobatch, das Kleinste ohne Aufsummieren.</translation>
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
            <source>The ramp as an explicit table, in place of duration: when each stage begins and its step size; the last one is the global batch.</source>
            <translation>Der Anstieg als Tabelle, anstelle einer Dauer: wann jede Stufe beginnt und ihre Schrittgröße; die letzte ist der globale Batch.</translation>
        </message>
        <message>
            <source>Expression for the new global batch size, over epoch, current_batch_size, loss and noise_scale, such as epoch % 3 == 0 ? current_batch_size * 2 : current_batch_size. Empty: no growth.</source>
            <translation>Ausdruck für die neue globale Batchgröße, über epoch, current_batch_size, loss und noise_scale, etwa epoch % 3 == 0 ? current_batch_size * 2 : current_batch_size. Leer: kein Wachstum.</translation>
        </message>
        <message>
            <source>The same, but the expression gives the increment, as torchtune proposed. Give one of the two.</source>
            <translation>Dasselbe, aber der Ausdruck gibt den Zuwachs, wie von torchtune vorgeschlagen. Nur eines von beiden angeben.</translation>
        </message>
        <message>
            <source>How often growth is asked, first after the ramp.</source>
            <translation>Wie oft nach Wachstum gefragt wird, zuerst nach dem Anstieg.</translation>
        </message>
        <message>
            <source>device_maximum stops growth at devices x largest micro-batch, with a note; none lets accumulation take the rest.</source>
            <translation>device_maximum hält das Wachstum bei Geräte x größter Mikrobatch an, mit Hinweis; none lässt den Rest aufsummieren.</translation>
        </message>
        <message>
            <source>Lets the expression make the batch smaller. Off: a smaller answer is raised to the size in use.</source>
            <translation>Lässt den Ausdruck den Batch verkleinern. Aus: eine kleinere Antwort wird auf die Größe in Gebrauch angehoben.</translation>
        </message>
        <message>
            <source>Token budget: sequences are packed until this many tokens are reached, and every size that counts samples counts packs. none: no budget.</source>
            <translation>Tokenbudget: Sequenzen werden gepackt, bis so viele Tokens erreicht sind, und jede Größe, die Beispiele zählt, zählt Pakete. none: kein Budget.</translation>
        </message>
        <message>
            <source>In which order sequences are offered to the packs: the epoch's order, an own random order, or by length.</source>
            <translation>In welcher Reihenfolge Sequenzen gepackt werden: die der Epoche, eine eigene zufällige, oder nach Länge.</translation>
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
            <source>The packs of one global batch have equally many sequences.</source>
            <translation>Die Pakete eines globalen Batches haben gleich viele Sequenzen.</translation>
        </message>
        <message>
            <source>The packs of one global batch are padded to equal lengths in the plan's figures; the computation itself is unpadded.</source>
            <translation>Die Pakete eines globalen Batches werden in den Zahlen des Plans auf gleiche Länge aufgefüllt; die Rechnung selbst ist ohne Auffüllung.</translation>
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
            <source>Where the length of each sample is kept: a file that ends with .u16 or .u32, or a folder (lengths.u32 in it), relative to this file. Made from the data when it is missing and compared with it when it is there; the commands preview and batches take it in place of the text.</source>
            <translation>Wo die Länge jedes Beispiels steht: eine Datei, die auf .u16 oder .u32 endet, oder ein Ordner (darin lengths.u32), relativ zu dieser Datei. Wird aus den Daten gemacht, wenn sie fehlt, und mit ihnen verglichen, wenn sie da ist; die Befehle preview und batches nehmen sie anstelle des Texts.</translation>
        </message>
        <message>
            <source>The optimizer: Adam with decoupled weight decay.</source>
            <translation>Der Optimierer: Adam mit entkoppeltem Gewichtsabbau.</translation>
        </message>
        <message>
            <source>Peak learning rate at the reference batch size (see lr_scaling); the scheduler's factor multiplies it.</source>
            <translation>Höchste Lernrate bei der Bezugsgröße des Batches (siehe lr_scaling); der Faktor des Plans multipliziert sie.</translation>
        </message>
        <message>
            <source>How slowly the running means of gradient and squared gradient forget.</source>
            <translation>Wie langsam die laufenden Mittel von Gradient und quadriertem Gradienten vergessen.</translation>
        </message>
        <message>
            <source>Added to the root of the squared mean; keeps a step finite where gradients vanish. The optimizer computes in fp32 whatever precision says, so the default, BERT's and RoBERTa's 1e-6, fits every precision.</source>
            <translation>Wird zur Wurzel des quadrierten Mittels addiert; hält einen Schritt endlich, wo Gradienten verschwinden. Der Optimierer rechnet in fp32, was auch immer precision sagt, darum passt der Vorgabewert 1e-6, der von BERT und RoBERTa, zu jeder precision.</translation>
        </message>
        <message>
            <source>Pull of the weights towards zero, times the learning rate, per step. Biases and layer norms are left out.</source>
            <translation>Zug der Gewichte zur Null, mal Lernrate, je Schritt. Biases und Layer-Normen sind ausgenommen.</translation>
        </message>
        <message>
            <source>Largest norm of the whole gradient; a longer one is shortened to it. 0: no clipping.</source>
            <translation>Größte Norm des ganzen Gradienten; ein längerer wird darauf gekürzt. 0: kein Kürzen.</translation>
        </message>
        <message>
            <source>How the learning rate changes over the run: the factor on optimizer.lr. Only the schedules with a t_warmup begin with a warm-up.</source>
            <translation>Wie sich die Lernrate über den Lauf ändert: der Faktor auf optimizer.lr. Nur die Verläufe mit t_warmup beginnen mit einem Aufwärmen.</translation>
        </message>
        <message>
            <source>Length of the rise from 0 to the full rate. auto: 6 % of t_max for the schedules that have a warm-up (inverse_sqrt needs it said). 0ba: no rise.</source>
            <translation>Länge des Anstiegs von 0 zur vollen Lernrate. auto: 6 % von t_max bei den Verläufen, die ein Aufwärmen haben (inverse_sqrt braucht eine Angabe). 0ba: kein Anstieg.</translation>
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
            <source>warmup_stable_decay, one_minus_sqrt: length of the fall at the end. auto: 0.1dur.</source>
            <translation>warmup_stable_decay, one_minus_sqrt: Länge des Abfalls am Ende. auto: 0.1dur.</translation>
        </message>
        <message>
            <source>cosine_inverse_sqrt: length of the cosine fall after the warm-up. auto: 0.25dur.</source>
            <translation>cosine_inverse_sqrt: Länge des Kosinusabfalls nach dem Aufwärmen. auto: 0.25dur.</translation>
        </message>
        <message>
            <source>cosine_inverse_sqrt: length of the cool-down at the end.</source>
            <translation>cosine_inverse_sqrt: Länge des Abkühlens am Ende.</translation>
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
            <source>step, multistep, exponential: what the factor is multiplied by. auto: 0.1 (exponential needs it).</source>
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
            <source>inverse_sqrt: the exponent of the fall. auto: 0.5.</source>
            <translation>inverse_sqrt: der Exponent des Abfalls. auto: 0.5.</translation>
        </message>
        <message>
            <source>cosine_inverse_sqrt: shape of the warm-up.</source>
            <translation>cosine_inverse_sqrt: Form des Aufwärmens.</translation>
        </message>
        <message>
            <source>cosine_inverse_sqrt: shape of the cool-down.</source>
            <translation>cosine_inverse_sqrt: Form des Abkühlens.</translation>
        </message>
        <message>
            <source>Whether scale_schedule_ratio stretches the warm-up too.</source>
            <translation>Ob scale_schedule_ratio auch das Aufwärmen streckt.</translation>
        </message>
        <message>
            <source>one trains the first global batch of a warm-up of n with factor 1/n; zero, as others do, with 0.</source>
            <translation>one trainiert den ersten globalen Batch eines Aufwärmens von n mit dem Faktor 1/n; zero, wie andere, mit 0.</translation>
        </message>
        <message>
            <source>expression: the factor over ba, sp, tok and frac (share of the run done), such as max(0.1, 1 - frac). Behind t_max, frac and the clock that it is counted on stand still.</source>
            <translation>expression: der Faktor über ba, sp, tok und frac (Anteil des Laufs, der getan ist), etwa max(0.1, 1 - frac). Hinter t_max stehen frac und die Uhr, nach der gezählt wird, still.</translation>
        </message>
        <message>
            <source>chain: schedules one after the other. In each part the clocks start at 0 and dur means the part; one part says duration: rest.</source>
            <translation>chain: Pläne nacheinander. In jedem Teil beginnen die Uhren bei 0, und dur meint den Teil; ein Teil sagt duration: rest.</translation>
        </message>
        <message>
            <source>How the learning rate follows the size of a step: lr x size / reference, or lr x sqrt(size / reference).</source>
            <translation>Wie die Lernrate der Größe eines Schritts folgt: lr x Größe / Bezug, oder lr x sqrt(Größe / Bezug).</translation>
        </message>
        <message>
            <source>The step size for which optimizer.lr was chosen, in samples or tokens as lr_scaling.by says, never packs. auto: the global batch.</source>
            <translation>Die Schrittgröße, für die optimizer.lr gewählt wurde, in Beispielen oder Tokens, wie lr_scaling.by sagt, nie in Paketen. auto: der globale Batch.</translation>
        </message>
        <message>
            <source>What a step's size is counted in.</source>
            <translation>Worin die Größe eines Schritts gezählt wird.</translation>
        </message>
        <message>
            <source>Which causes of an unusual step size change the rate: token budgets, growth, the ramp, the short last batch of an epoch. For any other cause the step counts as a full one.</source>
            <translation>Welche Ursachen einer ungewöhnlichen Schrittgröße die Lernrate ändern: Tokenbudget, Wachstum, Anstieg, der kurze letzte Batch einer Epoche. Bei jeder anderen Ursache zählt der Schritt als voller.</translation>
        </message>
        <message>
            <source>Number format of the computation; weights and optimizer state stay in fp32. auto: bf16 on GPUs that have it, else fp32, found at launch and then kept. tf32 is fp32 with faster, less exact matrix products on GPUs. With fp16 the loss is scaled, and a step whose gradient does not fit is skipped.</source>
            <translation>Zahlenformat der Rechnung; Gewichte und Zustand des Optimierers bleiben in fp32. auto: bf16 auf GPUs, die es haben, sonst fp32, beim Start bestimmt und dann beibehalten. tf32 ist fp32 mit schnelleren, weniger genauen Matrixprodukten auf GPUs. Mit fp16 wird der Verlust skaliert, und ein Schritt, dessen Gradient nicht hineinpasst, wird übersprungen.</translation>
        </message>
        <message>
            <source>Keep only what goes into each layer, and compute the rest again in the backward pass: larger micro-batches for about a third more time. The numbers stay the same, bit for bit.</source>
            <translation>Nur behalten, was in jede Schicht hineingeht, und den Rest beim Rückwärtsgang neu rechnen: größere Mikrobatches für etwa ein Drittel mehr Zeit. Die Zahlen bleiben gleich, Bit für Bit.</translation>
        </message>
        <message>
            <source>auto (all GPUs, else the processor), cpu, cpu:4 (four devices played by the processor), cuda, or cuda:0,1.</source>
            <translation>auto (alle GPUs, sonst der Prozessor), cpu, cpu:4 (vier Geräte, die der Prozessor spielt), cuda, oder cuda:0,1.</translation>
        </message>
        <message>
            <source>Only operations that repeat bit for bit. Off is a little faster on GPUs, and a resumed run then gives close, not equal numbers.</source>
            <translation>Nur Operationen, die sich Bit für Bit wiederholen. Aus ist auf GPUs etwas schneller, und ein fortgesetzter Lauf gibt dann nahe, nicht gleiche Zahlen.</translation>
        </message>
        <message>
            <source>The memory per device that auto plans with and tensors cannot exceed: in place of all the memory of a GPU, and the only limit on the processor.</source>
            <translation>Der Speicher je Gerät, mit dem auto plant und den Tensoren nicht überschreiten können: anstelle des ganzen Speichers einer GPU, und die einzige Grenze auf dem Prozessor.</translation>
        </message>
        <message>
            <source>Threads per device. auto: cores / devices, at least 1.</source>
            <translation>Threads je Gerät. auto: Kerne / Geräte, mindestens 1.</translation>
        </message>
        <message>
            <source>How often the model is evaluated; one Time or several. auto: ten times per run, where there is something to evaluate on. []: no evaluation while training.</source>
            <translation>Wie oft das Modell ausgewertet wird; eine Zeit oder mehrere. auto: zehnmal im Lauf, wo es etwas zum Auswerten gibt. []: keine Auswertung während des Trainings.</translation>
        </message>
        <message>
            <source>Samples per device and pass in evaluation. auto: as many as make 8,192 tokens, on a GPU 65,536.</source>
            <translation>Beispiele je Gerät und Durchgang bei der Auswertung. auto: so viele, wie 8.192 Token ergeben, auf einer GPU 65.536.</translation>
        </message>
        <message>
            <source>How often the whole state is saved; one Time or several. One more is saved at the end and on a stop. auto: every 10 minutes, so a killed run loses no more. []: only at the end and on a stop.</source>
            <translation>Wie oft der ganze Zustand gesichert wird; eine Zeit oder mehrere. Einer mehr wird am Ende und beim Anhalten gesichert. auto: alle 10 Minuten, damit ein abgebrochener Lauf nicht mehr verliert. []: nur am Ende und beim Anhalten.</translation>
        </message>
        <message>
            <source>How many of the newest are kept.</source>
            <translation>Wie viele der neuesten behalten werden.</translation>
        </message>
        <message>
            <source>How many of the best by best_metric are kept besides.</source>
            <translation>Wie viele der besten nach best_metric außerdem behalten werden.</translation>
        </message>
        <message>
            <source>What the best is judged by; a lower loss or perplexity or a higher accuracy wins.</source>
            <translation>Wonach der beste bestimmt wird; kleinerer Verlust, kleinere Perplexität oder höhere Genauigkeit gewinnt.</translation>
        </message>
        <message>
            <source>Checkpoints at multiples of this are kept for good.</source>
            <translation>Checkpoints an Vielfachen hiervon bleiben für immer.</translation>
        </message>
        <message>
            <source>How often a row of metrics is recorded. 1ba: one for each global batch.</source>
            <translation>Wie oft eine Zeile Messwerte geschrieben wird. 1ba: eine je globalem Batch.</translation>
        </message>
        <message>
            <source>A row for every optimizer step besides that of the global batch.</source>
            <translation>Eine Zeile für jeden Schritt des Optimierers neben der des globalen Batches.</translation>
        </message>
        <message>
            <source>Measure the gradient noise scale (McCandlish et al. 2018) from the micro-batches of each step.</source>
            <translation>Das Rauschen des Gradienten (McCandlish et al. 2018) aus den Mikrobatches jedes Schritts messen.</translation>
        </message>
        <message>
            <source>After a step whose gradient is not finite (the weights were left alone): go on, pause, stop with a checkpoint, or go back to the last good checkpoint and pass over the data since.</source>
            <translation>Nach einem Schritt, dessen Gradient nicht endlich ist (die Gewichte blieben unberührt): weitermachen, pausieren, mit Checkpoint anhalten, oder zum letzten guten Checkpoint zurück und die Daten seither übergehen.</translation>
        </message>
        <message>
            <source>Skipped steps in a row after which the run stops anyway.</source>
            <translation>Übersprungene Schritte in Folge, nach denen der Lauf dennoch anhält.</translation>
        </message>
        <message>
            <source>How often guards may take the run back; the next time it stops with a checkpoint.</source>
            <translation>Wie oft Wächter den Lauf zurücknehmen dürfen; das nächste Mal hält er mit Checkpoint an.</translation>
        </message>
        <message>
            <source>When the loss of a step is more than sigma standard deviations above the mean of the window. skip: the optimizer passes over that step. roll_back: the last good checkpoint, and on behind the data since.</source>
            <translation>Wenn der Verlust eines Schritts mehr als sigma Standardabweichungen über dem Mittel des Fensters liegt. skip: der Optimierer übergeht diesen Schritt. roll_back: der letzte gute Checkpoint, und weiter hinter den Daten seither.</translation>
        </message>
        <message>
            <source>How far above the mean of the window a loss counts as a spike.</source>
            <translation>Wie weit über dem Mittel des Fensters ein Verlust als Ausschlag zählt.</translation>
        </message>
        <message>
            <source>Steps that a loss is compared with; nothing is judged before half of them are done.</source>
            <translation>Schritte, mit denen ein Verlust verglichen wird; beurteilt wird erst, wenn die Hälfte davon getan ist.</translation>
        </message>
        <message>
            <source>When the training loss no longer falls. stop: the run ends as finished, with a checkpoint.</source>
            <translation>Wenn der Trainingsverlust nicht mehr fällt. stop: der Lauf endet als fertig, mit Checkpoint.</translation>
        </message>
        <message>
            <source>The mean loss of the newer half of the window is compared with that of the older half.</source>
            <translation>Der mittlere Verlust der neueren Hälfte des Fensters wird mit dem der älteren verglichen.</translation>
        </message>
        <message>
            <source>The loss must have fallen by more than this, or it counts as a plateau.</source>
            <translation>Der Verlust muss um mehr als dies gefallen sein, sonst gilt er als stehen geblieben.</translation>
        </message>
        <message>
            <source>When the norm of the gradient, before clipping, exceeds the limit.</source>
            <translation>Wenn die Norm des Gradienten, vor dem Begrenzen, die Grenze übersteigt.</translation>
        </message>
        <message>
            <source>Largest gradient norm, before clipping, that is let pass.</source>
            <translation>Größte Gradientennorm, vor dem Begrenzen, die durchgelassen wird.</translation>
        </message>
        <message>
            <source>When one step changes a weight matrix by more than the limit, as a share of its norm. Known only once the step is done, so it cannot be skipped.</source>
            <translation>Wenn ein Schritt eine Gewichtsmatrix um mehr als die Grenze ändert, als Anteil ihrer Norm. Erst bekannt, wenn der Schritt getan ist, also nicht überspringbar.</translation>
        </message>
        <message>
            <source>Largest norm of the change of a weight matrix over the norm of the matrix; 0.001 is usual.</source>
            <translation>Größte Norm der Änderung einer Gewichtsmatrix durch die Norm der Matrix; 0.001 ist üblich.</translation>
        </message>
        <message>
            <source>When the largest attention logit of a step exceeds the limit; model.attention_logit_l2 keeps logits small.</source>
            <translation>Wenn der größte Attention-Logit eines Schritts die Grenze übersteigt; model.attention_logit_l2 hält Logits klein.</translation>
        </message>
        <message>
            <source>Largest attention logit that is let pass. What is compared is the log-sum-exp of a row of logits, at most the logarithm of the sequence length above its largest.</source>
            <translation>Größter Attention-Logit, der durchgelassen wird. Verglichen wird der Log-Sum-Exp einer Zeile von Logits, höchstens um den Logarithmus der Sequenzlänge über ihrem größten.</translation>
        </message>
        <message>
            <source>When evaluations bring no better result any more. stop: the run ends as finished, with a checkpoint.</source>
            <translation>Wenn Auswertungen kein besseres Ergebnis mehr bringen. stop: der Lauf endet als fertig, mit Checkpoint.</translation>
        </message>
        <message>
            <source>What is judged; a lower loss or perplexity or a higher accuracy is better.</source>
            <translation>Was beurteilt wird; kleinerer Verlust, kleinere Perplexität oder höhere Genauigkeit ist besser.</translation>
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
            <source>When set-up, a step, an evaluation or a checkpoint gives no sign of life for longer than its limit. off: nothing happens; note: the run says so, and once more at twice the limit; stop: at twice the limit it ends as failed.</source>
            <translation>Wenn Vorbereitung, ein Schritt, eine Auswertung oder ein Checkpoint länger als seine Grenze kein Lebenszeichen gibt. off: nichts geschieht; note: der Lauf sagt es, und noch einmal beim Doppelten der Grenze; stop: beim Doppelten der Grenze endet er als gescheitert.</translation>
        </message>
        <message>
            <source>The least limit; ten times this where fewer than three of a kind have been measured.</source>
            <translation>Die kleinste Grenze; das Zehnfache, solange weniger als drei einer Art gemessen sind.</translation>
        </message>
        <message>
            <source>The limit as a multiple of the median time of what is measured.</source>
            <translation>Die Grenze als Vielfaches der mittleren Zeit dessen, was gemessen wird.</translation>
        </message>
        <message>
            <source>Where the run is started: on this machine.</source>
            <translation>Wo der Lauf gestartet wird: auf dieser Maschine.</translation>
        </message>
        <message>
            <source>Record the run in a journal beside the workspace's database, which `batchwise runs sync` takes in, instead of in the database itself. auto: where the workspace lies on a network file system and another machine has its database open. A run is resumed where it is recorded, or after `runs sync`.</source>
            <translation>Den Lauf in einem Journal neben der Datenbank des Arbeitsbereichs aufzeichnen, das `batchwise runs sync` übernimmt, statt in der Datenbank selbst. auto: wo der Arbeitsbereich auf einem Netzlaufwerk liegt und eine andere Maschine seine Datenbank offen hat. Ein Lauf wird dort fortgesetzt, wo er aufgezeichnet ist, oder nach `runs sync`.</translation>
        </message>
        <message>
            <source>How long this process may run, on the clock on the wall, as a cluster allows. The run takes a checkpoint and stops before that, with room for the longest step and checkpoint so far. Counts anew at each resume.</source>
            <translation>Wie lange dieser Prozess laufen darf, nach der Uhr an der Wand, wie ein Cluster es erlaubt. Der Lauf sichert einen Checkpoint und hält vorher an, mit Raum für den längsten Schritt und Checkpoint bisher. Zählt bei jedem Fortsetzen neu.</translation>
        </message>
        <message>
            <source>Words to find the run by.</source>
            <translation>Wörter, um den Lauf zu finden.</translation>
        </message>
        <message>
            <source>A line on the reason for the run, shown with it.</source>
            <translation>Eine Zeile zum Grund des Laufs, die mit ihm gezeigt wird.</translation>
        </message>
    </context>
</TS>
