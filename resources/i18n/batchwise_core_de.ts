<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!DOCTYPE TS>
<!-- Messages of core as patterns: %1, %2, ... stand for what a message fills in, #1, #2, ... for a figure in it, and -->
<!-- {1} in a translation for the same, translated in its turn because it is a message itself. Read by -->
<!-- ui/bridge/core_messages. -->
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name>core</name>
        <message>
            <source>%1: %2</source>
            <translation>{1}: {2}</translation>
        </message>
        <message>
            <source>did you mean '%1'?</source>
            <translation>gemeint war vielleicht '%1'</translation>
        </message>
        <message>
            <source>%1; did you mean '%2'?</source>
            <translation>{1}; gemeint war vielleicht '%2'</translation>
        </message>
        <message>
            <source>%1; did you mean '%2'? Known: %3</source>
            <translation>{1}; gemeint war vielleicht '%2'. Bekannt: %3</translation>
        </message>
        <message>
            <source>did you mean '%1'? Known: %2</source>
            <translation>gemeint war vielleicht '%1'. Bekannt: %2</translation>
        </message>
        <message>
            <source>%1 is not %2</source>
            <translation>%1 ist nicht {2}</translation>
        </message>
        <message>
            <source>has no value; give %1</source>
            <translation>hat keinen Wert; {1} angeben</translation>
        </message>
        <message>
            <source>is empty; give a section with the keys %1</source>
            <translation>ist leer; einen Abschnitt mit den Schlüsseln %1 angeben</translation>
        </message>
        <message>
            <source>is empty; give a section with enabled, max_tokens, ...</source>
            <translation>ist leer; einen Abschnitt mit enabled, max_tokens, ... angeben</translation>
        </message>
        <message>
            <source>a pattern that begins with * needs quotes, as * alone refers to an anchor in YAML; write "%1"</source>
            <translation>ein Muster, das mit * beginnt, braucht Anführungszeichen, denn in YAML verweist * auf einen Anker; "%1" schreiben</translation>
        </message>
        <message>
            <source>is missing</source>
            <translation>fehlt</translation>
        </message>
        <message>
            <source>is given twice</source>
            <translation>ist zweimal angegeben</translation>
        </message>
        <message>
            <source>'%1' is not of the form name=value, as optimizer.lr=1e-3</source>
            <translation>'%1' hat nicht die Form Name=Wert, wie optimizer.lr=1e-3</translation>
        </message>
        <message>
            <source>the value holds more than one YAML document</source>
            <translation>der Wert enthält mehr als ein YAML-Dokument</translation>
        </message>
        <message>
            <source>a second YAML document begins before this line; a configuration is one, without '---' in it (what was changed with --set follows the stored text of a run in this way: write it into the text)</source>
            <translation>vor dieser Zeile beginnt ein zweites YAML-Dokument; eine Konfiguration ist eines, ohne '---' darin (so folgt dem gespeicherten Text eines Laufs, was beim Fortsetzen geändert wurde: es in den Text schreiben)</translation>
        </message>
        <message>
            <source>'%1' is cut to %2, as DeepSpeed does</source>
            <translation>'%1' wird auf %2 gekürzt, wie bei DeepSpeed</translation>
        </message>
        <message>
            <source>this YAML cannot be read: %1</source>
            <translation>dieses YAML ist nicht lesbar: %1</translation>
        </message>
        <message>
            <source>%1; give a YAML file, or 'demo' for the bundled one</source>
            <translation>{1}; eine YAML-Datei angeben, oder 'demo' für die mitgelieferte</translation>
        </message>
        <message>
            <source>is empty; a configuration names at least the data and what differs from the defaults</source>
            <translation>ist leer; eine Konfiguration nennt mindestens die Daten und was von den Standardwerten abweicht</translation>
        </message>
        <message>
            <source>holds %1, expected a section of the form 'name: value'</source>
            <translation>enthält %1, erwartet wird ein Abschnitt der Form 'Name: Wert'</translation>
        </message>
        <message>
            <source>a second YAML document holds changes of the form 'optimizer.lr: 1e-3', this is %1</source>
            <translation>ein zweites YAML-Dokument enthält Änderungen der Form 'optimizer.lr: 1e-3', dies ist %1</translation>
        </message>
        <message>
            <source>has a name that is %1, expected a plain name</source>
            <translation>hat einen Namen, der %1 ist; erwartet wird ein einfacher Name</translation>
        </message>
        <message>
            <source>is given twice in the same section; keep one</source>
            <translation>steht zweimal im selben Abschnitt; einen davon behalten</translation>
        </message>
        <message>
            <source>%1 is not a section with %2</source>
            <translation>%1 ist kein Abschnitt mit %2</translation>
        </message>
        <message>
            <source>is given twice, first in line %1; keep one</source>
            <translation>ist zweimal angegeben, zuerst in Zeile %1; einen davon behalten</translation>
        </message>
        <message>
            <source>read from '%1', a name of %2</source>
            <translation>gelesen aus '%1', einem Namen von %2</translation>
        </message>
        <message>
            <source>%1 is not a section with enabled, max_tokens, ...</source>
            <translation>%1 ist kein Abschnitt mit enabled, max_tokens, …</translation>
        </message>
        <message>
            <source>is off (enabled is not true, DeepSpeed's default) and changes nothing</source>
            <translation>ist aus (enabled ist nicht true, wie bei DeepSpeed voreingestellt) und ändert nichts</translation>
        </message>
        <message>
            <source>read from '%1', a section of DeepSpeed</source>
            <translation>gelesen aus '%1', einem Abschnitt von DeepSpeed</translation>
        </message>
        <message>
            <source>has no meaning here; see the command batches</source>
            <translation>hat hier keine Bedeutung; siehe den Befehl batches</translation>
        </message>
        <message>
            <source>unknown name; %1</source>
            <translation>unbekannter Name; {1}</translation>
        </message>
        <message>
            <source>is required when dynamic_batching is enabled</source>
            <translation>ist nötig, wenn dynamic_batching eingeschaltet ist</translation>
        </message>
        <message>
            <source>stays none; DeepSpeed would scale linearly, which is lr_scaling: {method: linear, reference_batch_size: N}</source>
            <translation>bleibt none; DeepSpeed würde linear skalieren, das wäre lr_scaling: {method: linear, reference_batch_size: N}</translation>
        </message>
        <message>
            <source>'%1' is a value, not a section</source>
            <translation>'%1' ist ein Wert, kein Abschnitt</translation>
        </message>
        <message>
            <source>there is no section '%1'</source>
            <translation>es gibt keinen Abschnitt '%1'</translation>
        </message>
        <message>
            <source>unknown field: %1</source>
            <translation>unbekanntes Feld: {1}</translation>
        </message>
        <message>
            <source>unknown field%1</source>
            <translation>unbekanntes Feld{1}</translation>
        </message>
        <message>
            <source>at top level</source>
            <translation>auf oberster Ebene</translation>
        </message>
        <message>
            <source>has no effect, the vocabulary of tokenizer.path is used</source>
            <translation>hat keine Wirkung, das Vokabular von tokenizer.path wird benutzt</translation>
        </message>
        <message>
            <source>%1 is not a device; use auto, cpu, cpu:4 (four devices on the processor), cuda (all GPUs), or cuda:0,1 (GPUs by number)</source>
            <translation>%1 ist kein Gerät; auto, cpu, cpu:4 (vier Geräte auf dem Prozessor), cuda (alle GPUs) oder cuda:0,1 (GPUs nach Nummer) nehmen</translation>
        </message>
        <message>
            <source>%1 has several numbers; cpu:N takes one, the number of devices on the processor</source>
            <translation>%1 hat mehrere Zahlen; cpu:N nimmt eine, die Anzahl der Geräte auf dem Prozessor</translation>
        </message>
        <message>
            <source>%1 asks for %2 devices; cpu:N is N devices on the processor, 1 to %3, and cpu is one</source>
            <translation>%1 verlangt %2 Geräte; cpu:N sind N Geräte auf dem Prozessor, 1 bis %3, und cpu ist eines</translation>
        </message>
        <message>
            <source>%1 names a device twice</source>
            <translation>%1 nennt ein Gerät zweimal</translation>
        </message>
        <message>
            <source>'%1' is not a known schedule</source>
            <translation>'%1' ist kein bekannter Plan</translation>
        </message>
        <message>
            <source>is required by the schedule %1</source>
            <translation>verlangt der Plan %1</translation>
        </message>
        <message>
            <source>a chain cannot be a part of a chain; write its parts one after the other</source>
            <translation>eine Kette kann nicht Teil einer Kette sein; ihre Teile nacheinander schreiben</translation>
        </message>
        <message>
            <source>exactly one part must have duration: rest, these have %1</source>
            <translation>genau ein Teil muss duration: rest haben, hier sind es %1</translation>
        </message>
        <message>
            <source>%1 heads do not divide a hidden_size of %2</source>
            <translation>%1 Köpfe teilen eine hidden_size von %2 nicht</translation>
        </message>
        <message>
            <source>%1 layers with norm: post often diverge, as gradients grow towards the last layers (Xiong et al. 2020); norm: pre is steadier above %2 layers, and so is a layer_norm_eps of 1e-5</source>
            <translation>%1 Schichten mit norm: post divergieren oft, weil die Gradienten zu den letzten Schichten hin wachsen (Xiong et al. 2020); norm: pre ist über %2 Schichten stabiler, ebenso ein layer_norm_eps von 1e-5</translation>
        </message>
        <message>
            <source>%1 is 0 in fp32, in which the optimizer computes, and a weight without a gradient would become 0 / 0; use 1e-8 to 1e-6</source>
            <translation>%1 ist 0 in fp32, womit der Optimierer rechnet, und ein Gewicht ohne Gradient würde 0 / 0; 1e-8 bis 1e-6 nehmen</translation>
        </message>
        <message>
            <source>%1 is below what fp32, in which the optimizer computes, holds exactly (1.2e-38); 1e-8 to 1e-6 are usual</source>
            <translation>%1 ist kleiner als das, was fp32, womit der Optimierer rechnet, genau darstellt (1.2e-38); üblich sind 1e-8 bis 1e-6</translation>
        </message>
        <message>
            <source>roll_back goes to checkpoints of checkpoint.interval, and %1 counts training time: where they lie depends on the speed of the machine, so a resumed run may roll back to another place than a run in one go; set checkpoint.interval to global batches alone, as 100ba</source>
            <translation>roll_back geht zu Checkpoints von checkpoint.interval, und %1 zählt Trainingszeit: wo sie liegen, hängt von der Geschwindigkeit der Maschine ab, sodass ein fortgesetzter Lauf an eine andere Stelle zurückgehen kann als ein Lauf in einem Zug; checkpoint.interval allein in globalen Batches angeben, etwa 100ba</translation>
        </message>
        <message>
            <source>%1 is less than data.max_seq_len %2; raise it or shorten the sequences</source>
            <translation>%1 ist weniger als data.max_seq_len %2; den Wert erhöhen oder die Sequenzen kürzen</translation>
        </message>
        <message>
            <source>%1 does not come after %2; stages stand in the order in which they begin</source>
            <translation>%1 kommt nicht nach %2; Stufen stehen in der Reihenfolge, in der sie beginnen</translation>
        </message>
        <message>
            <source>is required when initial_global_train_batch_size is given; how long should the ramp be?</source>
            <translation>ist nötig, wenn initial_global_train_batch_size angegeben ist; wie lang soll der Anstieg sein?</translation>
        </message>
        <message>
            <source>%1 is above batch.global_train_batch_size %2; a ramp only grows</source>
            <translation>%1 ist größer als batch.global_train_batch_size %2; ein Anstieg wächst nur</translation>
        </message>
        <message>
            <source>cannot be given together with batch.rampup.duration; the table already says when each stage begins</source>
            <translation>geht nicht zusammen mit batch.rampup.duration; die Tabelle sagt schon, wann jede Stufe beginnt</translation>
        </message>
        <message>
            <source>cannot be given together with increase_function; one gives the new size, the other the increment</source>
            <translation>geht nicht zusammen mit increase_function; das eine nennt die neue Größe, das andere den Zuwachs</translation>
        </message>
        <message>
            <source>%1 is above max_batch_size %2; no pack could have both</source>
            <translation>%1 ist größer als max_batch_size %2; kein Paket könnte beides haben</translation>
        </message>
        <message>
            <source>needs two numbers, as [0.9, 0.98]; these are %1</source>
            <translation>braucht zwei Zahlen, wie [0.9, 0.98]; hier sind es %1</translation>
        </message>
        <message>
            <source>is required when the rate is scaled under a token budget or by tokens: the size, in %1, for which optimizer.lr was chosen</source>
            <translation>ist nötig, wenn die Lernrate mit Tokenbudget oder nach Tokens skaliert wird: die Größe, in %1, für die optimizer.lr gewählt wurde</translation>
        </message>
        <message>
            <source>roll_back needs a checkpoint to go back to, and checkpoint.interval is empty; give an interval, or take skip or stop</source>
            <translation>roll_back braucht einen Checkpoint, zu dem es zurückgeht, und checkpoint.interval ist leer; einen Abstand angeben, oder skip oder stop nehmen</translation>
        </message>
        <message>
            <source>%1 needs evaluations, and eval.interval is empty; give an interval, or take off</source>
            <translation>%1 braucht Auswertungen, und eval.interval ist leer; einen Abstand angeben, oder off nehmen</translation>
        </message>
        <message>
            <source>%1 needs data to evaluate on; give data.eval, or a data.holdout above 0, or take off</source>
            <translation>%1 braucht Daten zum Auswerten; data.eval angeben, oder data.holdout über 0, oder off nehmen</translation>
        </message>
        <message>
            <source>is not set, so the other fields of batch.tokens have no effect</source>
            <translation>ist nicht gesetzt, darum haben die anderen Felder von batch.tokens keine Wirkung</translation>
        </message>
        <message>
            <source>is not set, so the other fields of batch.growth have no effect</source>
            <translation>ist nicht gesetzt, darum haben die anderen Felder von batch.growth keine Wirkung</translation>
        </message>
        <message>
            <source>has no effect, as there is nothing to evaluate on: data.eval names no text and data.holdout is 0; give one of them</source>
            <translation>hat keine Wirkung, denn es gibt nichts zum Auswerten: data.eval nennt keinen Text, und data.holdout ist 0; eines davon angeben</translation>
        </message>
        <message>
            <source>a time with a unit (%1), as %2</source>
            <translation>eine Zeit mit Einheit (%1), wie {2}</translation>
        </message>
        <message>
            <source>'%1' is more than one YAML document, expected %2</source>
            <translation>'%1' ist mehr als ein YAML-Dokument, erwartet wird {2}</translation>
        </message>
        <message>
            <source>a whole number</source>
            <translation>eine ganze Zahl</translation>
        </message>
        <message>
            <source>a number</source>
            <translation>eine Zahl</translation>
        </message>
        <message>
            <source>%1, at least #2</source>
            <translation>{1}, mindestens {2}</translation>
        </message>
        <message>
            <source>%1, at most #2</source>
            <translation>{1}, höchstens {2}</translation>
        </message>
        <message>
            <source>%1, above #2</source>
            <translation>{1}, über {2}</translation>
        </message>
        <message>
            <source>%1, below #2</source>
            <translation>{1}, unter {2}</translation>
        </message>
        <message>
            <source>true or false</source>
            <translation>true oder false</translation>
        </message>
        <message>
            <source>a text</source>
            <translation>ein Text</translation>
        </message>
        <message>
            <source>one of %1</source>
            <translation>eines von %1</translation>
        </message>
        <message>
            <source>%1, or a list of them</source>
            <translation>{1}, oder eine Liste davon</translation>
        </message>
        <message>
            <source>a text or a list of texts</source>
            <translation>ein Text oder eine Liste von Texten</translation>
        </message>
        <message>
            <source>a list of numbers</source>
            <translation>eine Liste von Zahlen</translation>
        </message>
        <message>
            <source>a size in bytes, as 512MiB or 8GB</source>
            <translation>eine Größe in Bytes, wie 512MiB oder 8GB</translation>
        </message>
        <message>
            <source>a list of stages, as [{at: 0ba, global_train_batch_size: 32}]</source>
            <translation>eine Liste von Stufen, wie [{at: 0ba, global_train_batch_size: 32}]</translation>
        </message>
        <message>
            <source>a list of parts, as [{name: constant, duration: 100ba}, {name: linear, duration: rest}]</source>
            <translation>eine Liste von Teilen, wie [{name: constant, duration: 100ba}, {name: linear, duration: rest}]</translation>
        </message>
        <message>
            <source>'%1' may be one number or several; write it without commas, or with a space after each</source>
            <translation>'%1' kann eine Zahl oder mehrere sein; ohne Kommas schreiben, oder mit einem Leerzeichen nach jedem</translation>
        </message>
        <message>
            <source>'%1' is not a list of values</source>
            <translation>'%1' ist keine Liste von Werten</translation>
        </message>
        <message>
            <source>'%1' is one value</source>
            <translation>'%1' ist ein Wert</translation>
        </message>
        <message>
            <source>the values of %1 fields make %2 runs, more than %3; give fewer values</source>
            <translation>die Werte von %1 Feldern ergeben %2 Läufe, mehr als %3; weniger Werte angeben</translation>
        </message>
        <message>
            <source>%1: the value %2 is given twice, which makes equal runs; keep one</source>
            <translation>%1: der Wert %2 ist zweimal angegeben, was gleiche Läufe ergibt; einen behalten</translation>
        </message>
        <message>
            <source>run %1: %2</source>
            <translation>Lauf %1: {2}</translation>
        </message>
        <message>
            <source>entry #1 %2</source>
            <translation>Eintrag %1 {2}</translation>
        </message>
        <message>
            <source>%1 is not a section with the keys %2</source>
            <translation>%1 ist kein Abschnitt mit den Schlüsseln %2</translation>
        </message>
        <message>
            <source>unknown key; %1</source>
            <translation>unbekannter Schlüssel; {1}</translation>
        </message>
        <message>
            <source>is missing: when the stage begins, as 0ba or 0.1dur</source>
            <translation>fehlt: wann die Stufe beginnt, wie 0ba oder 0.1dur</translation>
        </message>
        <message>
            <source>is missing: the samples of one step of the stage</source>
            <translation>fehlt: die Beispiele eines Schritts der Stufe</translation>
        </message>
        <message>
            <source>a document cannot begin with this</source>
            <translation>damit kann kein Dokument beginnen</translation>
        </message>
        <message>
            <source>this is not valid YAML: %1 (column %2)</source>
            <translation>das ist kein gültiges YAML: {1} (Spalte %2)</translation>
        </message>
        <message>
            <source>%1 (%2)</source>
            <translation>{1} ({2})</translation>
        </message>
        <message>
            <source>too large for 64 bits</source>
            <translation>zu groß für 64 Bit</translation>
        </message>
        <message>
            <source>out of range</source>
            <translation>außerhalb des Bereichs</translation>
        </message>
        <message>
            <source>it must be finite</source>
            <translation>muss endlich sein</translation>
        </message>
        <message>
            <source>outside what a double can hold</source>
            <translation>außerhalb dessen, was ein double fasst</translation>
        </message>
        <message>
            <source>'%1' has no meaning here</source>
            <translation>'%1' hat hier keine Bedeutung</translation>
        </message>
        <message>
            <source>is missing: which schedule the part follows</source>
            <translation>fehlt: welchem Plan der Teil folgt</translation>
        </message>
        <message>
            <source>is missing: how long the part lasts, as 100ba or 0.1dur; one part says rest</source>
            <translation>fehlt: wie lang der Teil dauert, wie 100ba oder 0.1dur; ein Teil sagt rest</translation>
        </message>
        <message>
            <source>%1 needs equal units, found %2 and %3</source>
            <translation>%1 braucht gleiche Einheiten, gefunden %2 und %3</translation>
        </message>
        <message>
            <source>%1 leaves the range of 64 bits</source>
            <translation>%1 verlässt den Bereich von 64 Bit</translation>
        </message>
        <message>
            <source>%1 is divided by zero; use a divisor above it</source>
            <translation>%1 wird durch null geteilt; einen Teiler darüber nehmen</translation>
        </message>
        <message>
            <source>%1 cannot be compared with a clock; give it in ep, ba, sp, tok or sec</source>
            <translation>%1 ist mit keiner Uhr vergleichbar; in ep, ba, sp, tok oder sec angeben</translation>
        </message>
        <message>
            <source>a factor of %1 must be finite</source>
            <translation>ein Faktor von %1 muss endlich sein</translation>
        </message>
        <message>
            <source>a product needs a plain factor or a dur, found %1 and %2</source>
            <translation>ein Produkt braucht einen einfachen Faktor oder eine dur, gefunden %1 und %2</translation>
        </message>
        <message>
            <source>%1 is longer than 64 bits can count</source>
            <translation>%1 ist länger, als 64 Bit zählen können</translation>
        </message>
        <message>
            <source>%1 of a run measured in epochs needs data with a known length; use ba, sp or tok</source>
            <translation>%1 eines in Epochen gemessenen Laufs braucht Daten bekannter Länge; ba, sp oder tok nehmen</translation>
        </message>
        <message>
            <source>%1 needs data with a known length; use ba, sp or tok</source>
            <translation>%1 braucht Daten bekannter Länge; ba, sp oder tok nehmen</translation>
        </message>
        <message>
            <source>%1 is a share of the run, whose length this field sets; use ep, ba, sp, tok or sec</source>
            <translation>%1 ist ein Anteil des Laufs, dessen Länge dieses Feld festlegt; ep, ba, sp, tok oder sec nehmen</translation>
        </message>
        <message>
            <source>%1 is not above 0; use at least 1ba</source>
            <translation>%1 ist nicht über 0; mindestens 1ba nehmen</translation>
        </message>
        <message>
            <source>%1 is not above 0; use 1 for no scaling</source>
            <translation>%1 ist nicht über 0; 1 nehmen, um nicht zu skalieren</translation>
        </message>
        <message>
            <source>%1 x %2 leaves nothing to train; use a larger ratio or a finer unit</source>
            <translation>%1 x %2 lässt nichts zu trainieren; ein größeres Verhältnis oder eine feinere Einheit nehmen</translation>
        </message>
        <message>
            <source>%1 is negative; use 0 or more</source>
            <translation>%1 ist negativ; 0 oder mehr nehmen</translation>
        </message>
        <message>
            <source>%1 is in seconds; only max_duration and intervals may be, use ba, sp, tok, ep or dur</source>
            <translation>%1 ist in Sekunden; das dürfen nur max_duration und Abstände sein, ba, sp, tok, ep oder dur nehmen</translation>
        </message>
        <message>
            <source>chain needs to know how long its part 'rest' is, and max_duration is %1; give max_duration in ba, sp, tok or ep, or take another schedule</source>
            <translation>chain muss wissen, wie lang sein Teil 'rest' ist, und max_duration ist {1}; max_duration in ba, sp, tok oder ep angeben oder einen anderen Verlauf nehmen</translation>
        </message>
        <message>
            <source>%1 is a share of a run measured in seconds; use ba, sp, tok or ep</source>
            <translation>%1 ist ein Anteil eines in Sekunden gemessenen Laufs; ba, sp, tok oder ep nehmen</translation>
        </message>
        <message>
            <source>%1 is negative; use a time above 0</source>
            <translation>%1 ist negativ; eine Zeit über 0 nehmen</translation>
        </message>
        <message>
            <source>%1 is longer than can be counted (2^62); use less</source>
            <translation>%1 ist länger als zählbar (2^62); weniger nehmen</translation>
        </message>
        <message>
            <source>%1 is less than one global batch; use more</source>
            <translation>%1 ist weniger als ein globaler Batch; mehr nehmen</translation>
        </message>
        <message>
            <source>'%1' is not a time: %2 at position %3; use %4</source>
            <translation>'%1' ist keine Zeit: {2} an Stelle %3; nehmen: {4}</translation>
        </message>
        <message>
            <source>a number with a unit: 5ep, 0.5ep, 1000ba, 4096sp, 3e4tok, 0.1dur, 45sec, 90m, 1h30m</source>
            <translation>eine Zahl mit Einheit: 5ep, 0.5ep, 1000ba, 4096sp, 3e4tok, 0.1dur, 45sec, 90m, 1h30m</translation>
        </message>
        <message>
            <source>the number is too large</source>
            <translation>die Zahl ist zu groß</translation>
        </message>
        <message>
            <source>a fraction, which only ep and dur may have,</source>
            <translation>ein Bruch, den nur ep und dur haben dürfen,</translation>
        </message>
        <message>
            <source>nothing found</source>
            <translation>nichts gefunden</translation>
        </message>
        <message>
            <source>no number found</source>
            <translation>keine Zahl gefunden</translation>
        </message>
        <message>
            <source>the unit is missing</source>
            <translation>die Einheit fehlt</translation>
        </message>
        <message>
            <source>the unit is unknown</source>
            <translation>die Einheit ist nicht bekannt</translation>
        </message>
        <message>
            <source>%1: '%2': = at position %3 would assign; == compares</source>
            <translation>%1: '%2': = an Stelle %3 würde zuweisen; == vergleicht</translation>
        </message>
        <message>
            <source>%1: '%2': '%3' is not known at position %4; use %5</source>
            <translation>%1: '%2': '%3' an Stelle %4 ist nicht bekannt; nehmen: %5</translation>
        </message>
        <message>
            <source>%1: '%2' has several results; leave one, without commas</source>
            <translation>%1: '%2' hat mehrere Ergebnisse; eines lassen, ohne Kommas</translation>
        </message>
        <message>
            <source>%1: '%2' is %3 at %4; it must be a finite number over the whole run</source>
            <translation>%1: '%2' ist %3 bei %4; es muss über den ganzen Lauf eine endliche Zahl sein</translation>
        </message>
        <message>
            <source>'%1' is not known; use %2</source>
            <translation>'%1' ist nicht bekannt; nehmen: %2</translation>
        </message>
        <message>
            <source>%1: '%2' is not known; use %3</source>
            <translation>%1: '%2' ist nicht bekannt; nehmen: %3</translation>
        </message>
        <message>
            <source>lr_scaling.method: '%1' is not known; use none, linear or sqrt</source>
            <translation>lr_scaling.method: '%1' ist nicht bekannt; none, linear oder sqrt nehmen</translation>
        </message>
        <message>
            <source>%1 is not below 1; cosine_inverse_sqrt falls</source>
            <translation>%1 ist nicht unter 1; cosine_inverse_sqrt fällt</translation>
        </message>
        <message>
            <source>%1 is above %2, the value where the cool-down begins; use less, or a longer t_cosine</source>
            <translation>%1 ist größer als %2, der Wert, bei dem das Abkühlen beginnt; weniger nehmen, oder ein längeres t_cosine</translation>
        </message>
        <message>
            <source>is missing; frac in a run measured in sec needs it in ba, sp or tok</source>
            <translation>fehlt; frac in einem in sec gemessenen Lauf braucht es in ba, sp oder tok</translation>
        </message>
        <message>
            <source>'%1' is not known</source>
            <translation>'%1' ist nicht bekannt</translation>
        </message>
        <message>
            <source>%1: not used by %2</source>
            <translation>%1: wird von %2 nicht benutzt</translation>
        </message>
        <message>
            <source>is not a finite number</source>
            <translation>ist keine endliche Zahl</translation>
        </message>
        <message>
            <source>is missing; %1 needs it, for example 0.9</source>
            <translation>fehlt; %1 braucht es, zum Beispiel 0.9</translation>
        </message>
        <message>
            <source>%1 is negative; use a factor of 0 or more</source>
            <translation>%1 ist negativ; einen Faktor ab 0 nehmen</translation>
        </message>
        <message>
            <source>%1 is negative; use 1 for periods of equal length</source>
            <translation>%1 ist negativ; 1 nehmen für gleich lange Abschnitte</translation>
        </message>
        <message>
            <source>'%1' is not known; use zero or one</source>
            <translation>'%1' ist nicht bekannt; zero oder one nehmen</translation>
        </message>
        <message>
            <source>'%1' is not known; use linear or cosine</source>
            <translation>'%1' ist nicht bekannt; linear oder cosine nehmen</translation>
        </message>
        <message>
            <source>is missing; %1 needs it, for example 0.1dur</source>
            <translation>fehlt; %1 braucht es, zum Beispiel 0.1dur</translation>
        </message>
        <message>
            <source>is missing; a run measured in sec needs it in ba, sp or tok</source>
            <translation>fehlt; ein in sec gemessener Lauf braucht es in ba, sp oder tok</translation>
        </message>
        <message>
            <source>%1 and t_max %2 have different units; give both in the same, or t_max in %3</source>
            <translation>%1 und t_max %2 haben verschiedene Einheiten; beide in derselben angeben, oder t_max in %3</translation>
        </message>
        <message>
            <source>is %1 when resolved, so nothing is left of it; use a longer time</source>
            <translation>ist aufgelöst %1, davon bleibt also nichts; eine längere Zeit nehmen</translation>
        </message>
        <message>
            <source>%1 shrinks the periods to nothing after %2; use 1 or more</source>
            <translation>%1 lässt die Abschnitte nach %2 zu nichts schrumpfen; 1 oder mehr nehmen</translation>
        </message>
        <message>
            <source>the rate falls at once when the warm-up ends</source>
            <translation>die Rate fällt sofort, wenn das Aufwärmen endet</translation>
        </message>
        <message>
            <source>%1 is longer than what t_max (%2) leaves after t_warmup (%3), so the rate drops at once when the warm-up ends</source>
            <translation>%1 ist länger, als t_max (%2) nach t_warmup (%3) übrig lässt; die Rate fällt auf einmal, wenn das Aufwärmen endet</translation>
        </message>
        <message>
            <source>%1 is longer than what t_max (%2) leaves after t_warmup (%3), so it begins where the warm-up ends and is steeper</source>
            <translation>%1 ist länger, als t_max (%2) nach t_warmup (%3) übrig lässt; das Abkühlen beginnt mit dem Ende des Aufwärmens und ist steiler</translation>
        </message>
        <message>
            <source>%1 is longer than what t_max (%2) leaves, so it takes all of t_max</source>
            <translation>%1 ist länger, als t_max (%2) übrig lässt; es nimmt ganz t_max ein</translation>
        </message>
        <message>
            <source>%1 is longer than what t_max (%2) leaves, so the rate starts inside the decay, below its peak</source>
            <translation>%1 ist länger, als t_max (%2) übrig lässt; die Rate beginnt mitten im Fallen, unter ihrem Höchstwert</translation>
        </message>
        <message>
            <source>the rate stays where the warm-up ends</source>
            <translation>die Rate bleibt, wo das Aufwärmen endet</translation>
        </message>
        <message>
            <source>%1 is longer than the run (%2), so the rate never reaches its peak</source>
            <translation>%1 ist länger als der Lauf (%2), die Rate erreicht also nie ihren Höchstwert</translation>
        </message>
        <message>
            <source>%1 takes all of t_max (%2), so nothing is left for the decay: %3</source>
            <translation>%1 braucht ganz t_max (%2), für das Fallen bleibt nichts: {3}</translation>
        </message>
        <message>
            <source>the rate goes on falling behind it, to 0</source>
            <translation>die Rate fällt dahinter weiter, bis 0</translation>
        </message>
        <message>
            <source>its last value holds from there on</source>
            <translation>ihr letzter Wert gilt von da an</translation>
        </message>
        <message>
            <source>%1 is shorter than the run (%2); %3</source>
            <translation>%1 ist kürzer als der Lauf (%2); {3}</translation>
        </message>
        <message>
            <source>%1 is 0 when resolved: there is no warm-up</source>
            <translation>%1 ist aufgelöst 0: es gibt kein Aufwärmen</translation>
        </message>
        <message>
            <source>%1 stands after %2; each counts from its own time on, whatever the order</source>
            <translation>%1 steht nach %2; jeder zählt ab seiner eigenen Zeit, gleich in welcher Reihenfolge</translation>
        </message>
        <message>
            <source>is missing, or is 'rest' for a second part; exactly one part can be the rest</source>
            <translation>fehlt oder ist bei einem zweiten Teil 'rest'; genau ein Teil kann der Rest sein</translation>
        </message>
        <message>
            <source>%1 is 0 when resolved; use more</source>
            <translation>%1 ist aufgelöst 0; mehr nehmen</translation>
        </message>
        <message>
            <source>%1 has another unit than the parts before (%2); use one unit for all parts</source>
            <translation>%1 hat eine andere Einheit als die Teile davor (%2); eine Einheit für alle Teile nehmen</translation>
        </message>
        <message>
            <source>the rest of %1 cannot be taken from parts in %2; give them in %3</source>
            <translation>der Rest von %1 lässt sich nicht aus Teilen in %2 bilden; sie in %3 angeben</translation>
        </message>
        <message>
            <source>nothing is left: the other parts take %1 of %2</source>
            <translation>es bleibt nichts: die anderen Teile nehmen %1 von %2</translation>
        </message>
        <message>
            <source>%1: inside a chain counted in %2 only this unit or dur can be used; give %3, for example, as 0.5dur</source>
            <translation>%1: in einer in %2 gezählten Kette gehen nur diese Einheit oder dur; %3 zum Beispiel als 0.5dur angeben</translation>
        </message>
        <message>
            <source>uses %1: inside a chain counted in %2 only this clock and frac start at 0</source>
            <translation>benutzt %1: in einer in %2 gezählten Kette beginnen nur diese Uhr und frac bei 0</translation>
        </message>
        <message>
            <source>is empty; a chain needs at least one part</source>
            <translation>ist leer; eine Kette braucht mindestens einen Teil</translation>
        </message>
        <message>
            <source>are counted in another unit than the part itself; use one unit</source>
            <translation>sind in einer anderen Einheit gezählt als der Teil selbst; eine Einheit nehmen</translation>
        </message>
        <message>
            <source>%1; did you mean %2?</source>
            <translation>{1}; gemeint war vielleicht %2</translation>
        </message>
        <message>
            <source>is missing among the stored values</source>
            <translation>fehlt unter den gespeicherten Werten</translation>
        </message>
        <message>
            <source>'%1' is not known; use device_maximum or none</source>
            <translation>'%1' ist nicht bekannt; device_maximum oder none nehmen</translation>
        </message>
        <message>
            <source>increase_function is given too; keep one of them</source>
            <translation>increase_function ist auch angegeben; eines davon behalten</translation>
        </message>
        <message>
            <source>%1: '%2' gives %3 at epoch %4, current_batch_size %5; a batch has 1 or more, and fewer than 2^50</source>
            <translation>%1: '%2' ergibt %3 bei epoch %4, current_batch_size %5; ein Batch hat 1 oder mehr und weniger als 2^50</translation>
        </message>
        <message>
            <source>batch growth: %1</source>
            <translation>Wachstum des Batches: {1}</translation>
        </message>
        <message>
            <source>%1; the size stays %2</source>
            <translation>{1}; die Größe bleibt %2</translation>
        </message>
        <message>
            <source>there is no loss yet</source>
            <translation>es gibt noch keinen Verlust</translation>
        </message>
        <message>
            <source>the noise scale is not measured yet</source>
            <translation>die Rauschskala ist noch nicht gemessen</translation>
        </message>
        <message>
            <source>the function asks for %1</source>
            <translation>die Funktion verlangt %1</translation>
        </message>
        <message>
            <source>the function asks for %1, and %2 is the largest that the devices hold (batch.growth.bound)</source>
            <translation>die Funktion verlangt %1, und %2 ist das Größte, was die Geräte fassen (batch.growth.bound)</translation>
        </message>
        <message>
            <source>the processor has no limit to reach for, so nothing bounds growth; set devices.memory_limit</source>
            <translation>der Prozessor hat keine Grenze, an die das Wachstum stoßen könnte; devices.memory_limit setzen, um es zu begrenzen</translation>
        </message>
        <message>
            <source>what the devices hold is found at launch; growth is shown as if nothing bounded it</source>
            <translation>was die Geräte fassen, stellt sich beim Start heraus; das Wachstum ist gezeigt, als begrenze es nichts</translation>
        </message>
        <message>
            <source>the function asks for %1, which is smaller; batch.growth.allow_decrease permits that</source>
            <translation>die Funktion verlangt %1, das ist kleiner; batch.growth.allow_decrease erlaubt das</translation>
        </message>
        <message>
            <source>%1: it was made from other data; delete the file, and it is made anew, or name another</source>
            <translation>{1}: aus anderen Daten gemacht; die Datei löschen, dann entsteht sie neu, oder eine andere nennen</translation>
        </message>
        <message>
            <source>'%1' has %2 lengths, the data has %3 samples</source>
            <translation>'%1' hat %2 Längen, die Daten haben %3 Beispiele</translation>
        </message>
        <message>
            <source>%1 has %2 lengths, the data has %3 samples</source>
            <translation>%1 hat %2 Längen, die Daten haben %3 Beispiele</translation>
        </message>
        <message>
            <source>'%1' gives sample %2 %3 tokens, the data %4</source>
            <translation>'%1' gibt Beispiel %2 %3 Tokens, die Daten %4</translation>
        </message>
        <message>
            <source>%1 gives sample %2 %3 tokens, the data %4</source>
            <translation>%1 gibt Beispiel %2 %3 Tokens, die Daten %4</translation>
        </message>
        <message>
            <source>'%1' holds lengths up to 65535, the data has one of %2; use a name that ends with .u32</source>
            <translation>'%1' enthält Längen bis 65535, die Daten haben eine von %2; einen Namen nehmen, der auf .u32 endet</translation>
        </message>
        <message>
            <source>'%1' has %2 bytes, which is not a whole number of lengths; each takes %3</source>
            <translation>'%1' hat %2 Bytes, das ist keine ganze Zahl von Längen; jede braucht %3</translation>
        </message>
        <message>
            <source>'%1', %2: '%3' is not a length; use whole numbers from 0 to 4294967295</source>
            <translation>'%1', %2: '%3' ist keine Länge; ganze Zahlen von 0 bis 4294967295 nehmen</translation>
        </message>
        <message>
            <source>'%1' is not a JSON array of lengths</source>
            <translation>'%1' ist keine JSON-Liste von Längen</translation>
        </message>
        <message>
            <source>one row of %1 tokens takes %2, %3 are allowed (%4 less batch.reserve %5); use a smaller data.max_seq_len or model, or a smaller reserve</source>
            <translation>eine Zeile von %1 Tokens braucht %2, erlaubt sind %3 (%4 abzüglich batch.reserve %5); ein kleineres data.max_seq_len oder Modell nehmen, oder weniger Reserve</translation>
        </message>
        <message>
            <source>%1 bytes leave no room; give the bytes of a device</source>
            <translation>%1 Bytes lassen keinen Platz; die Bytes eines Geräts angeben</translation>
        </message>
        <message>
            <source>%1 is not in [0, 1); use 0.1</source>
            <translation>%1 liegt nicht in [0, 1); 0.1 nehmen</translation>
        </message>
        <message>
            <source>%1 is too far to plan ahead; ask for an earlier place</source>
            <translation>%1 liegt zu weit voraus; nach einer früheren Stelle fragen</translation>
        </message>
        <message>
            <source>%1 is too far to plan ahead; use a smaller one</source>
            <translation>%1 liegt zu weit voraus; eine kleinere nehmen</translation>
        </message>
        <message>
            <source>%1 is below 1; use 1 or more</source>
            <translation>%1 ist kleiner als 1; 1 oder mehr nehmen</translation>
        </message>
        <message>
            <source>%1 is above %2, the most that can be planned for</source>
            <translation>%1 ist größer als %2, so viel kann höchstens geplant werden</translation>
        </message>
        <message>
            <source>%1 is not used; the last size of batch.rampup.stages, %2, is the global batch</source>
            <translation>%1 wird nicht benutzt; die letzte Größe von batch.rampup.stages, %2, ist der globale Batch</translation>
        </message>
        <message>
            <source>the largest batch is found at launch; shown with %1</source>
            <translation>der größte Batch wird beim Start gefunden; gezeigt mit %1</translation>
        </message>
        <message>
            <source>%1: auto is found at launch; shown as if %2 fit</source>
            <translation>%1: auto wird beim Start gefunden; gezeigt, als ob %2 passten</translation>
        </message>
        <message>
            <source>'%1' is not known; use doubling or linear</source>
            <translation>'%1' ist nicht bekannt; doubling oder linear nehmen</translation>
        </message>
        <message>
            <source>not used by growth: doubling</source>
            <translation>wird bei growth: doubling nicht benutzt</translation>
        </message>
        <message>
            <source>the initial size is the full size %1; there is no ramp</source>
            <translation>die Anfangsgröße ist die volle Größe %1; es gibt keinen Anstieg</translation>
        </message>
        <message>
            <source>duration, initial_global_train_batch_size or increment is given too; keep the table alone</source>
            <translation>duration, initial_global_train_batch_size oder increment ist auch angegeben; die Tabelle allein behalten</translation>
        </message>
        <message>
            <source>batch.rampup.stages is given too, and its last size is the global batch; keep one of them</source>
            <translation>batch.rampup.stages ist auch angegeben, und deren letzte Größe ist der globale Batch; eines von beiden behalten</translation>
        </message>
        <message>
            <source>%1 is below the longest of the given lengths, %2; data prepared with it has no such samples</source>
            <translation>%1 ist weniger als die größte der angegebenen Längen, %2; damit vorbereitete Daten haben keine solchen Samples</translation>
        </message>
        <message>
            <source>%1 is smaller than the stage before</source>
            <translation>%1 ist kleiner als die Stufe davor</translation>
        </message>
        <message>
            <source>is missing; a ramp needs it, for example 0.1dur, or a table of stages</source>
            <translation>fehlt; ein Anstieg braucht es, zum Beispiel 0.1dur, oder eine Tabelle von Stufen</translation>
        </message>
        <message>
            <source>%1 is not 0; the first stage holds from the start</source>
            <translation>%1 ist nicht 0; die erste Stufe gilt von Anfang an</translation>
        </message>
        <message>
            <source>%1 is counted in another unit than %2 of the stage before; use one unit</source>
            <translation>%1 ist in einer anderen Einheit gezählt als %2 der Stufe davor; eine Einheit nehmen</translation>
        </message>
        <message>
            <source>%1 is not after %2 of the stage before; list the stages in order</source>
            <translation>%1 kommt nicht nach %2 der Stufe davor; die Stufen der Reihe nach angeben</translation>
        </message>
        <message>
            <source>%1 is 0 when resolved; there is no ramp</source>
            <translation>%1 ist aufgelöst 0; es gibt keinen Anstieg</translation>
        </message>
        <message>
            <source>%1 is longer than the run (%2), so the ramp never ends</source>
            <translation>%1 ist länger als der Lauf (%2), der Anstieg endet also nie</translation>
        </message>
        <message>
            <source>is missing; with batch.tokens or by: tokens it must say the %1 per step that optimizer.lr belongs to</source>
            <translation>fehlt; mit batch.tokens oder by: tokens muss es die %1 je Schritt nennen, zu denen optimizer.lr gehört</translation>
        </message>
        <message>
            <source>%1 is in seconds; use ep, ba, sp, tok or dur</source>
            <translation>%1 ist in Sekunden; ep, ba, sp, tok oder dur nehmen</translation>
        </message>
        <message>
            <source>%1 is not above 0; use 1ep</source>
            <translation>%1 ist nicht über 0; 1ep nehmen</translation>
        </message>
        <message>
            <source>packs are alike in groups of %1; %2 makes global batches of other sizes, which hold parts of several groups</source>
            <translation>Pakete gleichen sich in Gruppen von %1; {2} macht globale Batches anderer Größe, die Teile mehrerer Gruppen enthalten</translation>
        </message>
        <message>
            <source>the ramp</source>
            <translation>der Anstieg</translation>
        </message>
        <message>
            <source>is 0, so no weight ever changes; the factors are shown as if it were not</source>
            <translation>ist 0, also ändert sich kein Gewicht; die Faktoren sind gezeigt, als wäre es anders</translation>
        </message>
        <message>
            <source>'%1' cannot be read</source>
            <translation>'%1' ist nicht lesbar</translation>
        </message>
        <message>
            <source>stored value %1: %2</source>
            <translation>gespeicherter Wert %1: {2}</translation>
        </message>
        <message>
            <source>holds no sample; give text that is not empty</source>
            <translation>enthält kein Beispiel; Text angeben, der nicht leer ist</translation>
        </message>
        <message>
            <source>%1 samples of up to %2 tokens are more than can be counted (an epoch has fewer than 2^50 samples and 2^61 tokens); give fewer or shorter samples</source>
            <translation>%1 Beispiele bis %2 Tokens sind mehr als zählbar (eine Epoche hat weniger als 2^50 Beispiele und 2^61 Tokens); weniger oder kürzere Beispiele angeben</translation>
        </message>
        <message>
            <source>packs need the lengths of the samples; give the data or --seqlens FILE</source>
            <translation>Pakete brauchen die Längen der Beispiele; die Daten angeben</translation>
        </message>
        <message>
            <source>data.samples_per_epoch of the stored run is missing; resume from another checkpoint</source>
            <translation>data.samples_per_epoch des gespeicherten Laufs fehlt; von einem anderen Checkpoint fortsetzen</translation>
        </message>
        <message>
            <source>has %1, the run was launched with %2; resume with the same data, or fork the run</source>
            <translation>hat %1, gestartet wurde der Lauf mit %2; mit denselben Daten fortsetzen, oder den Lauf abzweigen</translation>
        </message>
        <message>
            <source>the ramp never ends in any run that can be counted</source>
            <translation>der Anstieg endet in keinem Lauf, der sich zählen lässt</translation>
        </message>
        <message>
            <source>the sizes from %1 on depend on the run; shown as if they stayed</source>
            <translation>die Größen ab %1 hängen vom Lauf ab; gezeigt, als blieben sie</translation>
        </message>
        <message>
            <source>asked too often to foresee every size; shown as if the size stayed from %1 on</source>
            <translation>zu oft gefragt, um jede Größe vorherzusehen; gezeigt, als bliebe die Größe ab %1</translation>
        </message>
        <message>
            <source>growth is first asked after the ramp, and the run ends before that</source>
            <translation>das Wachstum wird erst nach dem Anstieg gefragt, und der Lauf endet vorher</translation>
        </message>
        <message>
            <source>growth is first asked after %1, and the run ends before that</source>
            <translation>das Wachstum wird erst nach %1 gefragt, und der Lauf endet vorher</translation>
        </message>
        <message>
            <source>every answer is the size in use, %1, so the batch never grows</source>
            <translation>jede Antwort ist die Größe, die schon gilt, %1, darum wächst der Batch nie</translation>
        </message>
        <message>
            <source>the run ends before the last %1 of %2 stages</source>
            <translation>der Lauf endet vor den letzten %1 von %2 Stufen</translation>
        </message>
        <message>
            <source>no finite number</source>
            <translation>keine endliche Zahl</translation>
        </message>
        <message>
            <source>gives %1 at %2; a factor is finite and not negative over the whole run</source>
            <translation>ergibt {1} bei %2; ein Faktor ist über den ganzen Lauf endlich und nicht negativ</translation>
        </message>
        <message>
            <source>the factor is %1 at %2; it must be finite and not negative</source>
            <translation>der Faktor ist {1} bei %2; er muss endlich und darf nicht negativ sein</translation>
        </message>
        <message>
            <source>the run is too long to count its packs ahead; totals are left out</source>
            <translation>der Lauf ist zu lang, um seine Pakete vorher zu zählen; Summen fehlen</translation>
        </message>
        <message>
            <source>%1 is above batch.global_train_batch_size %2; a ramp grows, use a smaller size</source>
            <translation>%1 ist größer als batch.global_train_batch_size %2; ein Anstieg wächst, eine kleinere Größe nehmen</translation>
        </message>
        <message>
            <source>%1 gives more than 100,000 stages; use a larger one</source>
            <translation>%1 ergibt mehr als 100.000 Stufen; einen größeren nehmen</translation>
        </message>
        <message>
            <source>'%1' is not known; use samples or tokens</source>
            <translation>'%1' ist nicht bekannt; samples oder tokens nehmen</translation>
        </message>
        <message>
            <source>'%1' is not known; use tokens, growth, rampup, last</source>
            <translation>'%1' ist nicht bekannt; tokens, growth, rampup, last nehmen</translation>
        </message>
        <message>
            <source>'%1' is not known; use one of %2</source>
            <translation>'%1' ist nicht bekannt; eines nehmen von %2</translation>
        </message>
        <message>
            <source>%1 is below 1; use at least data.max_seq_len</source>
            <translation>%1 ist kleiner als 1; mindestens data.max_seq_len nehmen</translation>
        </message>
        <message>
            <source>%1 is negative; use 1 or more, 0 for no limit</source>
            <translation>%1 ist negativ; 1 oder mehr nehmen, 0 für keine Grenze</translation>
        </message>
        <message>
            <source>%1 is above max_batch_size %2; use a smaller one</source>
            <translation>%1 ist größer als max_batch_size %2; eine kleinere nehmen</translation>
        </message>
        <message>
            <source>needs packing: in_order, best_fit was given</source>
            <translation>braucht packing: in_order, angegeben ist best_fit</translation>
        </message>
        <message>
            <source>a global batch of %1 packs is above %2, the most that can be packed alike; use a smaller batch.global_train_batch_size</source>
            <translation>ein globaler Batch von %1 Paketen ist größer als %2, so viele können höchstens gleich gepackt werden; batch.global_train_batch_size verkleinern</translation>
        </message>
        <message>
            <source>%1 is smaller than every sample (the shortest has %2 tokens); use at least %3</source>
            <translation>%1 ist kleiner als jedes Beispiel (das kürzeste hat %2 Tokens); mindestens %3 nehmen</translation>
        </message>
        <message>
            <source>epoch %1 has no pack of %2 within max_tokens %3; use a larger max_tokens, or on_small_pack: keep</source>
            <translation>Epoche %1 hat kein Paket mit %2 innerhalb von max_tokens %3; max_tokens vergrößern, oder on_small_pack: keep</translation>
        </message>
        <message>
            <source>longer than max_tokens %1</source>
            <translation>länger als max_tokens %1</translation>
        </message>
        <message>
            <source>in a pack of fewer than %1 (on_small_pack: discard)</source>
            <translation>in einem Paket mit weniger als %1 (on_small_pack: discard)</translation>
        </message>
        <message>
            <source>%1: there is no earlier row to compare its loss with</source>
            <translation>{1}: es gibt keine frühere Zeile, mit der sich der Verlust vergleichen ließe</translation>
        </message>
        <message>
            <source>the first global batch after the resume (%1ba)</source>
            <translation>der erste globale Batch nach dem Fortsetzen (%1ba)</translation>
        </message>
        <message>
            <source>%1 has the same loss as before, %2, equal to the last bit</source>
            <translation>{1} hat denselben Verlust wie zuvor, %2, gleich bis zum letzten Bit</translation>
        </message>
        <message>
            <source>%1 has a loss of %2 and had %3 before: it differs by %4</source>
            <translation>{1} hat einen Verlust von %2 und hatte zuvor %3: Unterschied {4}</translation>
        </message>
        <message>
            <source>%1, no more than rounding</source>
            <translation>%1, nicht mehr als Rundung</translation>
        </message>
        <message>
            <source>setting up</source>
            <translation>Einrichten</translation>
        </message>
        <message>
            <source>an evaluation</source>
            <translation>einer Auswertung</translation>
        </message>
        <message>
            <source>guard.hang: no sign of life in %1 for %2 s, the limit is %3 s%4</source>
            <translation>guard.hang: kein Lebenszeichen in {1} seit %2 s, die Grenze ist %3 s{4}</translation>
        </message>
        <message>
            <source>: taken for hung</source>
            <translation>: gilt als hängend</translation>
        </message>
        <message>
            <source>checkpoint %1 was not saved: %2</source>
            <translation>Checkpoint %1 wurde nicht gespeichert: {2}</translation>
        </message>
        <message>
            <source>checkpoint %1 was not saved: %2; it is kept in %3; 'batchwise runs sync --from %4' takes it in</source>
            <translation>Checkpoint %1 wurde nicht gespeichert: {2}; er liegt in %3; 'batchwise runs sync --from %4' nimmt ihn auf</translation>
        </message>
        <message>
            <source>%1; it cannot be kept elsewhere either: %2</source>
            <translation>{1}; er kann auch nirgends sonst aufbewahrt werden: {2}</translation>
        </message>
        <message>
            <source>the run does not start without the checkpoint that a guard may roll it back to: %1</source>
            <translation>der Lauf beginnt nicht ohne den Checkpoint, auf den ein Wächter ihn zurücksetzen kann: {1}</translation>
        </message>
        <message>
            <source>the weights of its end are not in the store: %1</source>
            <translation>die Gewichte seines Endes sind nicht gespeichert: {1}</translation>
        </message>
        <message>
            <source>%1; the weights of its end are not in the store: %2</source>
            <translation>{1}; die Gewichte seines Endes sind nicht gespeichert: {2}</translation>
        </message>
        <message>
            <source>old checkpoints were not removed: %1</source>
            <translation>alte Checkpoints wurden nicht entfernt: {1}</translation>
        </message>
        <message>
            <source>checkpoint %1 holds numbers that are not finite: no resume goes on from it</source>
            <translation>Checkpoint %1 enthält Zahlen, die nicht endlich sind: von ihm wird nicht fortgesetzt</translation>
        </message>
        <message>
            <source>waiting to save the checkpoint: %1; the run stops once that is written; %2 ends it now, %3</source>
            <translation>wartet darauf, den Checkpoint zu speichern: {1}; der Lauf hält an, sobald er geschrieben ist; {2} beendet ihn jetzt, {3}</translation>
        </message>
        <message>
            <source>a stop without saving (Ctrl-C once more, Stop without saving in the window, or 'batchwise runs tell %1 abort')</source>
            <translation>Anhalten ohne Sichern (noch einmal Ctrl-C, „Ohne Sichern anhalten“ im Fenster oder 'batchwise runs tell %1 abort')</translation>
        </message>
        <message>
            <source>with no checkpoint to go on from</source>
            <translation>ohne einen Checkpoint, von dem fortgesetzt werden kann</translation>
        </message>
        <message>
            <source>and a resume goes on from checkpoint %1</source>
            <translation>und fortgesetzt wird dann von Checkpoint %1</translation>
        </message>
        <message>
            <source>waiting for the store: %1; %2 ends the run without what is not stored yet</source>
            <translation>wartet auf die Datenbank: {1}; {2} beendet den Lauf ohne das, was noch nicht gespeichert ist</translation>
        </message>
        <message>
            <source>tokens has no effect, as lr_scaling.applies_to does not name tokens: the rate follows how many samples or packs a step has; add tokens to lr_scaling.applies_to</source>
            <translation>tokens wirkt nicht, weil lr_scaling.applies_to tokens nicht nennt: die Rate folgt der Zahl der Beispiele oder Pakete eines Schritts; tokens in lr_scaling.applies_to aufnehmen</translation>
        </message>
        <message>
            <source>'%1' exists, and no export like this one wrote it; name another folder, or replace it with 'batchwise export --force'</source>
            <translation>'%1' gibt es, und kein Export wie dieser hat es geschrieben; einen anderen Ordner nennen</translation>
        </message>
        <message>
            <source>'%1' exists, and no export like this one wrote it; name another file, or replace it with --force</source>
            <translation>'%1' gibt es, und kein Export wie dieser hat es geschrieben; eine andere Datei nennen, oder sie mit --force ersetzen</translation>
        </message>
        <message>
            <source>'%1' is a link to '%2'; name that file, or write to it through the link with --force</source>
            <translation>'%1' ist ein Verweis auf '%2'; diese Datei nennen, oder mit --force durch den Verweis schreiben</translation>
        </message>
        <message>
            <source>'%1' lies in the workspace '%2', whose files only Batchwise writes; name a file outside of it</source>
            <translation>'%1' liegt im Arbeitsbereich '%2', dessen Dateien nur Batchwise schreibt; eine Datei außerhalb nennen</translation>
        </message>
        <message>
            <source>'%1' lies in the workspace '%2', whose files only Batchwise writes; name a folder outside of it</source>
            <translation>'%1' liegt im Arbeitsbereich '%2', dessen Dateien nur Batchwise schreibt; einen Ordner außerhalb nennen</translation>
        </message>
        <message>
            <source>'%1' is a folder; name a file</source>
            <translation>'%1' ist ein Ordner; eine Datei nennen</translation>
        </message>
        <message>
            <source>'%1' is a device that holds a file system; name a file</source>
            <translation>'%1' ist ein Gerät mit einem Dateisystem; eine Datei nennen</translation>
        </message>
        <message>
            <source>cannot write into the folder '%1': %2</source>
            <translation>in den Ordner '%1' kann nicht geschrieben werden: {2}</translation>
        </message>
        <message>
            <source>NCCL: %1: numbers of type %2 cannot be added up over the ranks</source>
            <translation>NCCL: {1}: Zahlen vom Typ %2 lassen sich nicht über die Ränge addieren</translation>
        </message>
        <message>
            <source>waiting to save the checkpoint: %1; %2 ends the run without it</source>
            <translation>wartet darauf, den Checkpoint zu speichern: {1}; {2} beendet den Lauf ohne ihn</translation>
        </message>
        <message>
            <source>waiting to save the checkpoint: %1</source>
            <translation>wartet darauf, den Checkpoint zu speichern: {1}</translation>
        </message>
        <message>
            <source>devices is '%1'; it takes auto, cpu, cpu:N, cuda or cuda:N</source>
            <translation>devices ist '%1'; möglich sind auto, cpu, cpu:N, cuda oder cuda:N</translation>
        </message>
        <message>
            <source>devices is '%1'; at most %2 are possible</source>
            <translation>devices ist '%1'; höchstens %2 sind möglich</translation>
        </message>
        <message>
            <source>devices is '%1', but this machine has no usable CUDA device (see: batchwise doctor); use auto or cpu</source>
            <translation>devices ist '%1', aber dieser Rechner hat kein brauchbares CUDA-Gerät (siehe: batchwise doctor); auto oder cpu nehmen</translation>
        </message>
        <message>
            <source>devices is '%1', but this machine has %2 CUDA device(s), counted from 0</source>
            <translation>devices ist '%1', aber dieser Rechner hat %2 CUDA-Gerät(e), gezählt ab 0</translation>
        </message>
        <message>
            <source>devices is '%1', but %2 processes were started for the run, one per device; start as many, or use cpu</source>
            <translation>devices ist '%1', aber für den Lauf wurden %2 Prozesse gestartet, einer je Gerät; ebenso viele starten, oder cpu nehmen</translation>
        </message>
        <message>
            <source>devices is '%1', which names %2 GPUs of this machine, but more processes were started on it</source>
            <translation>devices ist '%1', das nennt %2 GPUs dieses Rechners, aber auf ihm wurden mehr Prozesse gestartet</translation>
        </message>
        <message>
            <source>guard.loss_spike: the loss of step %1 is %2, above the limit of %3 (%4 standard deviations above the mean of the steps before)%5</source>
            <translation>guard.loss_spike: der Verlust von Schritt %1 ist %2, über der Grenze von %3 (%4 Standardabweichungen über dem Mittel der Schritte davor){5}</translation>
        </message>
        <message>
            <source>gradient norm</source>
            <translation>die Gradientennorm</translation>
        </message>
        <message>
            <source>largest attention logit</source>
            <translation>das größte Attention-Logit</translation>
        </message>
        <message>
            <source>largest update-to-weight ratio</source>
            <translation>das größte Verhältnis von Änderung zu Gewicht</translation>
        </message>
        <message>
            <source>%1: the %2 of step %3 is %4, above the limit of %5</source>
            <translation>%1: {2} von Schritt %3 ist %4, über der Grenze von {5}</translation>
        </message>
        <message>
            <source>guard.plateau: over the last %1 global batches up to step %2 the mean loss went from %3 to %4, no more than %5 down</source>
            <translation>guard.plateau: über die letzten %1 globalen Batches bis Schritt %2 ging der mittlere Verlust von %3 auf %4, um nicht mehr als {5} hinunter</translation>
        </message>
        <message>
            <source>guard.early_stop: %1 is %2 at step %3 and has not beaten %4 for %5</source>
            <translation>guard.early_stop: %1 ist %2 bei Schritt %3 und war seit {5} nicht besser als %4</translation>
        </message>
        <message>
            <source>%1; the step was skipped</source>
            <translation>{1}; der Schritt wurde übersprungen</translation>
        </message>
        <message>
            <source>; the step was skipped</source>
            <translation>; der Schritt wurde übersprungen</translation>
        </message>
        <message>
            <source>%1; it has fired %2 times since step %3 and is told again at twice as many</source>
            <translation>{1}; seit Schritt %3 %2-mal ausgelöst, die nächste Meldung kommt bei doppelt so vielen</translation>
        </message>
        <message>
            <source>%1 fired %2 times from step %3 to step %4</source>
            <translation>%1 hat von Schritt %3 bis Schritt %4 %2-mal ausgelöst</translation>
        </message>
        <message>
            <source>%1; the run was taken back %2 before, as often as guard.roll_back_limit allows</source>
            <translation>{1}; der Lauf wurde schon %2 zurückgesetzt, so oft guard.roll_back_limit erlaubt</translation>
        </message>
        <message>
            <source>the gradient of step %1 is not finite (loss %2)%3</source>
            <translation>der Gradient von Schritt %1 ist nicht endlich (Verlust %2){3}</translation>
        </message>
        <message>
            <source>; the step was skipped and the scale of the loss halved</source>
            <translation>; der Schritt wurde übersprungen und die Verlustskala halbiert</translation>
        </message>
        <message>
            <source>%1; the weights are those before the step</source>
            <translation>{1}; die Gewichte sind die vor dem Schritt</translation>
        </message>
        <message>
            <source>%1, as in the %2 steps up to it</source>
            <translation>{1}, wie in den %2 Schritten davor</translation>
        </message>
        <message>
            <source>the training loop did not run</source>
            <translation>die Trainingsschleife lief nicht</translation>
        </message>
        <message>
            <source>the system has no memory left</source>
            <translation>das System hat keinen Speicher mehr</translation>
        </message>
        <message>
            <source>max_duration reached</source>
            <translation>geplante Länge erreicht</translation>
        </message>
        <message>
            <source>stopped by the user after the global batch</source>
            <translation>nach dem globalen Batch angehalten</translation>
        </message>
        <message>
            <source>the plan ended before the run did</source>
            <translation>der Plan endete vor dem Lauf</translation>
        </message>
        <message>
            <source>a single sequence does not fit into the memory of the device; a smaller model or data.max_seq_len would</source>
            <translation>eine einzelne Sequenz passt nicht in den Speicher des Geräts; ein kleineres Modell oder data.max_seq_len würde passen</translation>
        </message>
        <message>
            <source>out of memory: the micro-batch goes from %1 to %2, the global batch stays as it is</source>
            <translation>Speicher voll: der Mikrobatch geht von %1 auf %2, der globale Batch bleibt, wie er ist</translation>
        </message>
        <message>
            <source>stopped by the user</source>
            <translation>angehalten</translation>
        </message>
        <message>
            <source>stopped by the user, without a checkpoint</source>
            <translation>angehalten, ohne Checkpoint</translation>
        </message>
        <message>
            <source>asked for</source>
            <translation>verlangt</translation>
        </message>
        <message>
            <source>the time limit is near</source>
            <translation>Das Zeitlimit ist nahe</translation>
        </message>
        <message>
            <source>training waits, and goes on by itself: %1</source>
            <translation>das Training wartet und geht von selbst weiter: {1}</translation>
        </message>
        <message>
            <source>going on</source>
            <translation>es geht weiter</translation>
        </message>
        <message>
            <source>paused</source>
            <translation>pausiert</translation>
        </message>
        <message>
            <source>going on after the pause</source>
            <translation>nach der Pause geht es weiter</translation>
        </message>
        <message>
            <source>the system has no %1 bytes for a tensor</source>
            <translation>das System hat keine %1 Bytes für einen Tensor</translation>
        </message>
        <message>
            <source>a tensor of %1 bytes would take the host tensors of the device to %2 bytes; the limit is %3</source>
            <translation>ein Tensor von %1 Bytes brächte die Tensoren des Geräts im Hauptspeicher auf %2 Bytes; die Grenze ist %3</translation>
        </message>
        <message>
            <source>%1 of the state of the run is missing</source>
            <translation>%1 des Zustands des Laufs fehlt</translation>
        </message>
        <message>
            <source>%1 is no whole number</source>
            <translation>%1 ist keine ganze Zahl</translation>
        </message>
        <message>
            <source>the state of the run</source>
            <translation>der Zustand des Laufs</translation>
        </message>
        <message>
            <source>starting</source>
            <translation>Starten</translation>
        </message>
        <message>
            <source>setting up the run</source>
            <translation>Einrichten des Laufs</translation>
        </message>
        <message>
            <source>training</source>
            <translation>Training</translation>
        </message>
        <message>
            <source>saving a checkpoint</source>
            <translation>Checkpoint speichern</translation>
        </message>
        <message>
            <source>evaluating</source>
            <translation>Auswertung</translation>
        </message>
        <message>
            <source>evaluation, one sample at a time</source>
            <translation>Auswertung, Beispiel für Beispiel</translation>
        </message>
        <message>
            <source>measuring the memory of a step</source>
            <translation>Speicherbedarf eines Schritts messen</translation>
        </message>
        <message>
            <source>looking for files that have moved</source>
            <translation>verschobene Dateien suchen</translation>
        </message>
        <message>
            <source>nobody reads the output of the program; %1 wait for it</source>
            <translation>niemand liest die Ausgabe des Programms; {1} warten darauf</translation>
        </message>
        <message>
            <source>the output cannot be written (%1); %2 wait for it</source>
            <translation>die Ausgabe kann nicht geschrieben werden ({1}); {2} warten darauf</translation>
        </message>
        <message>
            <source>searching the largest micro-batch</source>
            <translation>größten Mikrobatch suchen</translation>
        </message>
        <message>
            <source>building the model</source>
            <translation>Modell bauen</translation>
        </message>
        <message>
            <source>reading files</source>
            <translation>Dateien lesen</translation>
        </message>
        <message>
            <source>reading text</source>
            <translation>Text lesen</translation>
        </message>
        <message>
            <source>searching for rows</source>
            <translation>Suche nach Zeilen</translation>
        </message>
        <message>
            <source>tokenising</source>
            <translation>Text in Tokens zerlegen</translation>
        </message>
        <message>
            <source>training the vocabulary</source>
            <translation>Vokabular trainieren</translation>
        </message>
        <message>
            <source>meeting the other ranks</source>
            <translation>Treffen mit den anderen Prozessen</translation>
        </message>
        <message>
            <source>waiting for the other ranks</source>
            <translation>Warten auf die anderen Prozesse</translation>
        </message>
        <message>
            <source>in the queue: %1</source>
            <translation>in der Warteschlange: %1</translation>
        </message>
        <message>
            <source>its process ended with exit code %1</source>
            <translation>der Prozess endete mit Code %1</translation>
        </message>
        <message>
            <source>, probably because memory ran out</source>
            <translation>, wahrscheinlich, weil der Speicher ausging</translation>
        </message>
        <message>
            <source>its process was killed %1</source>
            <translation>der Prozess wurde getötet {1}</translation>
        </message>
        <message>
            <source>its process crashed %1</source>
            <translation>der Prozess ist abgestürzt {1}</translation>
        </message>
        <message>
            <source>its process was ended by a signal %1</source>
            <translation>der Prozess wurde durch ein Signal beendet {1}</translation>
        </message>
        <message>
            <source>(signal %1)</source>
            <translation>(Signal %1)</translation>
        </message>
        <message>
            <source>(signal %1), probably because memory ran out</source>
            <translation>(Signal %1), wahrscheinlich, weil der Speicher ausging</translation>
        </message>
        <message>
            <source>a run is under way here; wait for it or stop it first</source>
            <translation>hier läuft schon ein Lauf; warten oder ihn zuerst anhalten</translation>
        </message>
        <message>
            <source>the run goes on in its own process</source>
            <translation>der Lauf geht in seinem eigenen Prozess weiter</translation>
        </message>
        <message>
            <source>the process that trains wrote something that is no event; it was left out</source>
            <translation>der trainierende Prozess schrieb etwas, das kein Ereignis ist; es wurde ausgelassen</translation>
        </message>
        <message>
            <source>cannot take commands from other programs at %1</source>
            <translation>kann keine Befehle anderer Programme annehmen an %1</translation>
        </message>
        <message>
            <source>process %1 takes no more commands</source>
            <translation>Prozess %1 nimmt keine Befehle mehr an</translation>
        </message>
        <message>
            <source>process %1 does not take commands: it has ended, is still starting, or runs on another host</source>
            <translation>Prozess %1 nimmt keine Befehle an: er ist zu Ende, startet noch, oder läuft auf einem anderen Rechner</translation>
        </message>
        <message>
            <source>the checkpoint has no weights for %1</source>
            <translation>der Checkpoint hat keine Gewichte für %1</translation>
        </message>
        <message>
            <source>the checkpoint has no optimiser state for %1</source>
            <translation>der Checkpoint hat keinen Optimiererzustand für %1</translation>
        </message>
        <message>
            <source>the training text gave no sample; name more text in data.train</source>
            <translation>der Trainingstext ergab kein Beispiel; mehr Text in data.train nennen</translation>
        </message>
        <message>
            <source>the training text gives %1 samples, fewer than one global batch of %2; set batch.global_train_batch_size to at most %3, lower data.max_seq_len, or name more text in data.train</source>
            <translation>der Trainingstext ergibt %1 Beispiele, weniger als einen globalen Batch von %2; batch.global_train_batch_size auf höchstens %3 setzen, data.max_seq_len senken, oder mehr Text in data.train nennen</translation>
        </message>
        <message>
            <source>this is no launch request; expected is a JSON object with the schema "%1"</source>
            <translation>das ist kein Startauftrag; erwartet wird ein JSON-Objekt mit dem Schema "%1"</translation>
        </message>
        <message>
            <source>batch.device_train_microbatch_size: auto is %1 of %2; measured%3</source>
            <translation>batch.device_train_microbatch_size: auto ist %1 von %2; gemessen%3</translation>
        </message>
        <message>
            <source>batch.use_maximum_batch_size needs a limit to reach for; on the processor set devices.memory_limit</source>
            <translation>batch.use_maximum_batch_size braucht eine Grenze; auf dem Prozessor devices.memory_limit setzen</translation>
        </message>
        <message>
            <source>%1: auto is %2, about %3 tokens per pass; devices.memory_limit would bound it</source>
            <translation>%1: auto ist %2, etwa %3 Tokens je Durchgang; devices.memory_limit würde es begrenzen</translation>
        </message>
        <message>
            <source>there is no memory limit to search against on the processor; set devices.memory_limit, as 2GiB</source>
            <translation>auf dem Prozessor gibt es keine Speichergrenze, gegen die gesucht werden könnte; devices.memory_limit setzen, wie 2GiB</translation>
        </message>
        <message>
            <source>name files that are there; relative paths start at %1</source>
            <translation>Dateien nennen, die es gibt; relative Pfade beginnen bei %1</translation>
        </message>
        <message>
            <source>%1 may not be read by this account</source>
            <translation>%1 darf dieses Konto nicht lesen</translation>
        </message>
        <message>
            <source>give this account the right to read it</source>
            <translation>diesem Konto das Leserecht geben</translation>
        </message>
        <message>
            <source>name a vocab.txt or a folder with one, or leave it empty to train a vocabulary</source>
            <translation>eine vocab.txt oder einen Ordner damit nennen, oder leer lassen, um ein Vokabular zu trainieren</translation>
        </message>
        <message>
            <source>%1 has no %2 that can be read</source>
            <translation>%1 hat kein lesbares %2</translation>
        </message>
        <message>
            <source>name a folder in the layout of Hugging Face, or leave it empty for fresh weights</source>
            <translation>einen Ordner im Aufbau von Hugging Face nennen, oder leer lassen für frische Gewichte</translation>
        </message>
        <message>
            <source>%1 is named, and the NVIDIA driver shows %2</source>
            <translation>%1 ist genannt, und der NVIDIA-Treiber zeigt {2}</translation>
        </message>
        <message>
            <source>no GPU</source>
            <translation>keine GPU</translation>
        </message>
        <message>
            <source>#1 GPU</source>
            <translation>%1 GPU</translation>
        </message>
        <message>
            <source>#1 GPUs</source>
            <translation>%1 GPUs</translation>
        </message>
        <message>
            <source>use cpu or auto</source>
            <translation>cpu oder auto nehmen</translation>
        </message>
        <message>
            <source>use cuda for all that are there</source>
            <translation>cuda nehmen für alle, die da sind</translation>
        </message>
        <message>
            <source>the workspace %1 cannot be written</source>
            <translation>in den Arbeitsbereich %1 kann nicht geschrieben werden</translation>
        </message>
        <message>
            <source>open another one, or give this account the right to write there</source>
            <translation>einen anderen öffnen, oder diesem Konto das Schreibrecht geben</translation>
        </message>
        <message>
            <source>%1 checkpoints need about %2, and %3 are free</source>
            <translation>%1 Checkpoints brauchen etwa %2, frei sind %3</translation>
        </message>
        <message>
            <source>there are no samples to forecast the memory of</source>
            <translation>es gibt keine Beispiele, nach denen der Speicherbedarf zu schätzen wäre</translation>
        </message>
        <message>
            <source>a step is expected to take about %1 per device, and %2 of devices.memory_limit can be used</source>
            <translation>ein Schritt braucht voraussichtlich etwa %1 je Gerät, von devices.memory_limit sind %2 nutzbar</translation>
        </message>
        <message>
            <source>a step is expected to take about %1 of memory, and %2 are free</source>
            <translation>ein Schritt braucht voraussichtlich etwa %1 Speicher, frei sind %2</translation>
        </message>
        <message>
            <source>take a smaller model: its weights, gradients and moments alone are too much</source>
            <translation>ein kleineres Modell nehmen: schon seine Gewichte, Gradienten und Momente sind zu viel</translation>
        </message>
        <message>
            <source>set batch.device_train_microbatch_size to at most %1, or turn devices.activation_checkpointing on</source>
            <translation>batch.device_train_microbatch_size auf höchstens %1 setzen, oder devices.activation_checkpointing einschalten</translation>
        </message>
        <message>
            <source>set batch.device_train_microbatch_size to at most %1</source>
            <translation>batch.device_train_microbatch_size auf höchstens %1 setzen</translation>
        </message>
        <message>
            <source>lower %1, or turn devices.activation_checkpointing on</source>
            <translation>%1 senken, oder devices.activation_checkpointing einschalten</translation>
        </message>
        <message>
            <source>lower %1, or take a smaller model</source>
            <translation>%1 senken, oder ein kleineres Modell nehmen</translation>
        </message>
        <message>
            <source>keep fewer checkpoints, or open a workspace on another disk</source>
            <translation>weniger Checkpoints behalten, oder einen Arbeitsbereich auf einer anderen Platte öffnen</translation>
        </message>
        <message>
            <source>this rank sees other training data than rank 0: data.train and the workspace must lie where every machine of the run finds the same files</source>
            <translation>dieser Prozess sieht andere Trainingsdaten als Prozess 0: data.train und Arbeitsbereich müssen liegen, wo jeder Rechner des Laufs dieselben Dateien findet</translation>
        </message>
        <message>
            <source>the rank did not run</source>
            <translation>der Prozess lief nicht</translation>
        </message>
        <message>
            <source>the ranks cannot find each other: %1 sets neither MPI's variables nor MASTER_ADDR and MASTER_PORT; start with mpirun, or with srun --mpi=pmix</source>
            <translation>die Prozesse finden einander nicht: %1 setzt weder die Variablen von MPI noch MASTER_ADDR und MASTER_PORT; mit mpirun starten, oder mit srun --mpi=pmix</translation>
        </message>
        <message>
            <source>%1 started %2 processes, but MPI sees %3; with srun name its plug-in: srun --mpi=pmix</source>
            <translation>%1 hat %2 Prozesse gestartet, aber MPI sieht %3; mit srun das Plug-in nennen: srun --mpi=pmix</translation>
        </message>
        <message>
            <source>ranks on processors talk over MPI, which %1 did not start; use mpirun, or srun --mpi=pmix</source>
            <translation>Prozesse auf Prozessoren reden über MPI, das %1 nicht gestartet hat; mpirun nehmen, oder srun --mpi=pmix</translation>
        </message>
        <message>
            <source>%1 would rename the run; use --fork for a new run of that name</source>
            <translation>%1 würde den Lauf umbenennen; für einen neuen Lauf dieses Namens abzweigen</translation>
        </message>
        <message>
            <source>%1 would make it another run; use --fork</source>
            <translation>%1 würde daraus einen anderen Lauf machen; als Abzweigung ist es möglich</translation>
        </message>
        <message>
            <source>%1 would make it another run</source>
            <translation>%1 würde daraus einen anderen Lauf machen</translation>
        </message>
        <message>
            <source>%1 was resolved at launch and is kept; use --stretch to resolve it anew, or --fork</source>
            <translation>%1 wurde beim Start ausgerechnet und bleibt; den Plan neu rechnen, oder abzweigen</translation>
        </message>
        <message>
            <source>the learning rate keeps the course resolved at launch, and its last value behind the end of it; --stretch resolves it anew for the new length</source>
            <translation>die Lernrate behält den beim Start ausgerechneten Verlauf, und dahinter seinen letzten Wert; den Plan neu zu rechnen verteilt ihn über die neue Länge</translation>
        </message>
        <message>
            <source>the checkpoint does not hold the state of the run</source>
            <translation>der Checkpoint enthält den Zustand des Laufs nicht</translation>
        </message>
        <message>
            <source>checkpoint %1 holds numbers that are not finite; leave --checkpoint out for the newest good one</source>
            <translation>Checkpoint %1 enthält Zahlen, die nicht endlich sind; den neuesten guten wählen</translation>
        </message>
        <message>
            <source>run %1 has no checkpoint '%2'; `batchwise checkpoints list` shows those there are</source>
            <translation>Lauf %1 hat keinen Checkpoint '%2'; `batchwise checkpoints list` zeigt, welche es gibt</translation>
        </message>
        <message>
            <source>checkpoint %1 cannot be used: %2</source>
            <translation>Checkpoint %1 ist nicht brauchbar: {2}</translation>
        </message>
        <message>
            <source>run %1 has no checkpoint to go on from</source>
            <translation>Lauf %1 hat keinen Checkpoint, von dem es weitergehen könnte</translation>
        </message>
        <message>
            <source>run %1 has no good checkpoint: %2</source>
            <translation>Lauf %1 hat keinen guten Checkpoint: {2}</translation>
        </message>
        <message>
            <source>rolled back to checkpoint %1 (step %2): %3; passes over what came after it, steps %4 to %5 (global batches from %6ba to %7ba, samples from %8sp to %9sp)</source>
            <translation>zurückgesetzt auf Checkpoint %1 (Schritt %2): {3}; übergeht, was danach kam, Schritte %4 bis %5 (globale Batches von %6ba bis %7ba, Beispiele von %8sp bis %9sp)</translation>
        </message>
        <message>
            <source>no checkpoint of checkpoint.interval is left to roll back to; %1, taken for another reason (%2), takes its place</source>
            <translation>es gibt keinen Checkpoint von checkpoint.interval mehr, auf den zurückgesetzt werden kann; %1, aus einem anderen Grund (%2) gespeichert, tritt an seine Stelle</translation>
        </message>
        <message>
            <source>the checkpoint does not say its %1</source>
            <translation>der Checkpoint nennt nicht: %1</translation>
        </message>
        <message>
            <source>the configuration in the checkpoint: %1</source>
            <translation>die Konfiguration im Checkpoint: {1}</translation>
        </message>
        <message>
            <source>the resolved values in the checkpoint are no JSON object</source>
            <translation>die aufgelösten Werte im Checkpoint sind kein JSON-Objekt</translation>
        </message>
        <message>
            <source>the resolved value %1 in the checkpoint is no text</source>
            <translation>der aufgelöste Wert %1 im Checkpoint ist kein Text</translation>
        </message>
        <message>
            <source>other library versions</source>
            <translation>andere Versionen der Bibliotheken</translation>
        </message>
        <message>
            <source>another kind of device</source>
            <translation>andere Art von Gerät</translation>
        </message>
        <message>
            <source>other devices</source>
            <translation>andere Geräte</translation>
        </message>
        <message>
            <source>other threads per device</source>
            <translation>andere Zahl von Threads je Gerät</translation>
        </message>
        <message>
            <source>another setting of devices.deterministic</source>
            <translation>andere Einstellung von devices.deterministic</translation>
        </message>
        <message>
            <source>another micro-batch</source>
            <translation>anderer Mikrobatch</translation>
        </message>
        <message>
            <source>%1, %2</source>
            <translation>{1}, {2}</translation>
        </message>
        <message>
            <source>launch.journal: a run that was given its id elsewhere is recorded in a journal; take always</source>
            <translation>launch.journal: ein Lauf, dessen Kennung anderswo vergeben wurde, wird in einem Journal aufgezeichnet; always nehmen</translation>
        </message>
        <message>
            <source>the run is recorded in a journal; `batchwise runs sync`, on the machine that has the workspace's database open, takes it in</source>
            <translation>der Lauf wird in einem Journal aufgezeichnet; `batchwise runs sync`, auf dem Rechner, der die Datenbank des Arbeitsbereichs geöffnet hat, nimmt es auf</translation>
        </message>
        <message>
            <source>with a journal (launch.journal) only runs that have one can be resumed; resume '%1' on the machine that has the workspace's database open</source>
            <translation>mit Journal (launch.journal) lassen sich nur Läufe fortsetzen, die eines haben; '%1' auf dem Rechner fortsetzen, der die Datenbank des Arbeitsbereichs geöffnet hat</translation>
        </message>
        <message>
            <source>checkpoint %1 was taken inside a global batch, which --stretch would cut into other parts; go on from one that was taken between two, or without --stretch</source>
            <translation>Checkpoint %1 entstand innerhalb eines globalen Batches, den ein neu gerechneter Plan in andere Teile schneiden würde; von einem ausgehen, der zwischen zweien entstand, oder den Plan behalten</translation>
        </message>
        <message>
            <source>batch.rampup: a global batch of %1 would be trained in %2 steps of %3; %4 are the most, so begin with a larger size</source>
            <translation>batch.rampup: ein globaler Batch von %1 würde in %2 Schritten von %3 trainiert; höchstens %4 sind möglich, also mit einer größeren Größe beginnen</translation>
        </message>
        <message>
            <source>waiting for a checkpoint to be written, which takes long on this disk</source>
            <translation>wartet auf einen Checkpoint, der auf diesem Datenträger lange braucht</translation>
        </message>
        <message>
            <source>the run has failed, and waits for a checkpoint that is under way: %1</source>
            <translation>der Lauf ist gescheitert und wartet auf einen Checkpoint, der unterwegs ist: {1}</translation>
        </message>
        <message>
            <source>waiting for another process that tokenises the same text</source>
            <translation>wartet auf einen anderen Prozess, der denselben Text zerlegt</translation>
        </message>
        <message>
            <source>data: all of its %1 have 0 tokens; give their lengths</source>
            <translation>data: alle %1 haben 0 Token; ihre Längen angeben</translation>
        </message>
        <message>
            <source>--stretch goes on from checkpoint %1, the newest between two global batches, not from %2</source>
            <translation>mit neu gerechnetem Plan geht der Lauf von Checkpoint %1 aus, dem neuesten zwischen zwei globalen Batches, nicht von %2</translation>
        </message>
        <message>
            <source>guard.early_stop.action: there is nothing to evaluate on, as neither data.eval nor data.holdout gave a document; give data.eval, or take off</source>
            <translation>guard.early_stop.action: es gibt nichts zum Auswerten, weil weder data.eval noch data.holdout ein Dokument ergab; data.eval angeben, oder off nehmen</translation>
        </message>
        <message>
            <source>the vocabulary</source>
            <translation>das Vokabular</translation>
        </message>
        <message>
            <source>the training data</source>
            <translation>die Trainingsdaten</translation>
        </message>
        <message>
            <source>the evaluation data differs from that of run %1: its results cannot be compared with the earlier ones</source>
            <translation>die Auswertungsdaten sind andere als bei Lauf %1: die Ergebnisse sind mit den früheren nicht vergleichbar</translation>
        </message>
        <message>
            <source>%1 is not the one that run %2 was trained with (data.train, tokenizer); give the same files, or use --fork for a new run</source>
            <translation>{1}: nicht, womit Lauf %2 trainiert wurde (data.train, tokenizer); dieselben Dateien angeben, oder einen neuen Lauf abzweigen</translation>
        </message>
        <message>
            <source>%1 differs from that of run %2</source>
            <translation>{1}: anders als bei Lauf %2</translation>
        </message>
        <message>
            <source>checkpoint %1 does not say what %2 was resolved to; use another checkpoint, or --fork with a changed configuration</source>
            <translation>Checkpoint %1 sagt nicht, was aus %2 ausgerechnet wurde; einen anderen Checkpoint nehmen, oder mit geänderter Konfiguration abzweigen</translation>
        </message>
        <message>
            <source>%1 of %2 tensors are taken; %3 fresh</source>
            <translation>%1 von %2 Tensoren werden übernommen; frisch: %3</translation>
        </message>
        <message>
            <source>starts from the weights of checkpoint %1; clocks and moments start anew</source>
            <translation>beginnt mit den Gewichten von Checkpoint %1; Uhren und Momente beginnen von vorn</translation>
        </message>
        <message>
            <source>goes on from checkpoint %1 at step %2, bit for bit</source>
            <translation>geht ab Checkpoint %1 bei Schritt %2 weiter, Bit für Bit</translation>
        </message>
        <message>
            <source>goes on from checkpoint %1 at step %2: same samples and masks, close numbers (%3)</source>
            <translation>geht ab Checkpoint %1 bei Schritt %2 weiter: dieselben Beispiele und Masken, nahe Zahlen ({3})</translation>
        </message>
        <message>
            <source>max_duration: run %1 has trained %2 at checkpoint %3, so nothing is left to train up to %4; give a longer max_duration, or fork from an earlier checkpoint</source>
            <translation>max_duration: Lauf %1 hat bei Checkpoint %3 schon %2 trainiert, bis %4 bleibt also nichts zu trainieren; ein längeres max_duration angeben, oder von einem früheren Checkpoint abzweigen</translation>
        </message>
        <message>
            <source>an entry of the queue has a status that is not known</source>
            <translation>ein Eintrag der Warteschlange hat einen unbekannten Zustand</translation>
        </message>
        <message>
            <source>an entry of the queue has a process that is not known</source>
            <translation>ein Eintrag der Warteschlange hat einen Prozess, der nicht bekannt ist</translation>
        </message>
        <message>
            <source>the queue of this workspace was written by a newer version</source>
            <translation>die Warteschlange dieses Arbeitsbereichs wurde von einer neueren Version geschrieben</translation>
        </message>
        <message>
            <source>the queue of this workspace cannot be read: %1</source>
            <translation>die Warteschlange dieses Arbeitsbereichs ist nicht lesbar: {1}</translation>
        </message>
        <message>
            <source>run %1 was stopped</source>
            <translation>Lauf %1 wurde angehalten</translation>
        </message>
        <message>
            <source>run %1 has failed</source>
            <translation>Lauf %1 ist gescheitert</translation>
        </message>
        <message>
            <source>run %1 was interrupted</source>
            <translation>Lauf %1 wurde unterbrochen</translation>
        </message>
        <message>
            <source>the queue has resumed it once already; it does so again when it is started again</source>
            <translation>die Warteschlange hat ihn schon einmal fortgesetzt; sie tut es wieder, wenn sie neu gestartet wird</translation>
        </message>
        <message>
            <source>the run could not be started</source>
            <translation>der Lauf konnte nicht gestartet werden</translation>
        </message>
        <message>
            <source>there is no entry '%1' in the queue; batchwise queue list shows them</source>
            <translation>es gibt keinen Eintrag '%1' in der Warteschlange; batchwise queue list zeigt sie</translation>
        </message>
        <message>
            <source>run %1 is training; stop it first</source>
            <translation>Lauf %1 trainiert; ihn zuerst anhalten</translation>
        </message>
        <message>
            <source>run %1 does not wait any more</source>
            <translation>Lauf %1 wartet nicht mehr</translation>
        </message>
        <message>
            <source>%1 had reached its max_duration of %2 before; give a longer one to train on</source>
            <translation>%1 hatte seine max_duration von %2 schon erreicht; eine längere angeben, um weiter zu trainieren</translation>
        </message>
        <message>
            <source>%1; it cannot be rolled back: %2</source>
            <translation>{1}; Zurücksetzen ist nicht möglich: {2}</translation>
        </message>
        <message>
            <source>waiting for the store: %1</source>
            <translation>wartet auf die Datenbank: {1}</translation>
        </message>
        <message>
            <source>the last rows of the run are not in the store</source>
            <translation>die letzten Zeilen des Laufs sind nicht gespeichert</translation>
        </message>
        <message>
            <source>the store of the run was gone: %1</source>
            <translation>die Datenbank des Laufs war fort: {1}</translation>
        </message>
        <message>
            <source>the store of the run is gone: %1; its last weights are kept in %2; 'batchwise runs sync --from %3' takes it in</source>
            <translation>der Speicher des Laufs ist weg: {1}; seine letzten Gewichte liegen in %2; 'batchwise runs sync --from %3' nimmt sie auf</translation>
        </message>
        <message>
            <source>the store of the run is gone: %1; its last weights could not be kept elsewhere</source>
            <translation>der Speicher des Laufs ist weg: {1}; seine letzten Gewichte konnten nirgends sonst aufbewahrt werden</translation>
        </message>
        <message>
            <source>the store of the run is gone: %1; %2</source>
            <translation>der Speicher des Laufs ist weg: {1}; {2}</translation>
        </message>
        <message>
            <source>'%1' was moved to '%2' while it was in use</source>
            <translation>'%1' wurde während der Benutzung nach '%2' verschoben</translation>
        </message>
        <message>
            <source>'%1' was deleted while it was in use</source>
            <translation>'%1' wurde während der Benutzung gelöscht</translation>
        </message>
        <message>
            <source>'%1' was replaced by another file while it was in use</source>
            <translation>'%1' wurde während der Benutzung durch eine andere Datei ersetzt</translation>
        </message>
        <message>
            <source>cannot find the store '%1': %2</source>
            <translation>der Speicher '%1' ist nicht zu finden: {2}</translation>
        </message>
        <message>
            <source>the store of the run takes no rows any more: %1; its last weights are kept in %2; 'batchwise runs sync --from %3' takes it in</source>
            <translation>der Speicher des Laufs nimmt keine Zeilen mehr auf: {1}; seine letzten Gewichte liegen in %2; 'batchwise runs sync --from %3' nimmt sie auf</translation>
        </message>
        <message>
            <source>the store of the run takes no rows any more: %1; its last weights could not be kept elsewhere</source>
            <translation>der Speicher des Laufs nimmt keine Zeilen mehr auf: {1}; seine letzten Gewichte konnten nirgends sonst aufbewahrt werden</translation>
        </message>
        <message>
            <source>%1; no waiting mends that: the run ends as failed in #2 seconds</source>
            <translation>{1}; kein Warten hilft dagegen: der Lauf endet in %2 Sekunden als gescheitert</translation>
        </message>
        <message>
            <source>%1; the run ends as failed if that is not undone within #2 seconds</source>
            <translation>{1}; der Lauf endet als gescheitert, wenn das nicht binnen %2 Sekunden rückgängig gemacht wird</translation>
        </message>
        <message>
            <source>its rows are lost with the store</source>
            <translation>seine Zeilen sind mit dem Speicher verloren</translation>
        </message>
        <message>
            <source>%1; the end of the run, with %2 and notes that the store has not, is kept in %3; 'batchwise runs sync --from %4' takes it in</source>
            <translation>{1}; das Ende des Laufs, mit {2} und Notizen, die der Speicher nicht hat, liegt in %3; 'batchwise runs sync --from %4' nimmt es auf</translation>
        </message>
        <message>
            <source>%1; they cannot be kept elsewhere either: %2</source>
            <translation>{1}; sie können auch nirgends sonst aufbewahrt werden: {2}</translation>
        </message>
        <message>
            <source>a run without a segment has nothing to be rescued</source>
            <translation>ein Lauf ohne Abschnitt hat nichts, was zu retten ist</translation>
        </message>
        <message>
            <source>the run did not begin</source>
            <translation>der Lauf begann nicht</translation>
        </message>
        <message>
            <source>the end of the run is not in the store: %1</source>
            <translation>das Ende des Laufs ist nicht gespeichert: {1}</translation>
        </message>
        <message>
            <source>Slurm job %1 of run %2 is in the queue</source>
            <translation>der Slurm-Auftrag %1 von Lauf %2 ist in der Warteschlange</translation>
        </message>
        <message>
            <source>the run goes on in its Slurm job</source>
            <translation>der Lauf geht in seinem Slurm-Auftrag weiter</translation>
        </message>
        <message>
            <source>a run in a Slurm job can be stopped, but not paused or saved from here</source>
            <translation>ein Lauf in einem Slurm-Auftrag lässt sich von hier aus anhalten, aber nicht pausieren oder speichern</translation>
        </message>
        <message>
            <source>what is new is not in the database yet: %1</source>
            <translation>Neues ist noch nicht in der Datenbank: {1}</translation>
        </message>
        <message>
            <source>taken out of the queue before its Slurm job began</source>
            <translation>aus der Warteschlange genommen, bevor der Slurm-Auftrag begann</translation>
        </message>
        <message>
            <source>its Slurm job was stopped before the run began</source>
            <translation>der Slurm-Auftrag wurde angehalten, bevor der Lauf begann</translation>
        </message>
        <message>
            <source>the job was not stopped: %1</source>
            <translation>der Auftrag wurde nicht angehalten: {1}</translation>
        </message>
        <message>
            <source>the job has not been reached to stop it, and is asked again until it is: %1</source>
            <translation>der Auftrag war nicht zu erreichen, um ihn anzuhalten, und wird weiter gefragt, bis er es ist: {1}</translation>
        </message>
        <message>
            <source>its Slurm job %1 never began: %2</source>
            <translation>der Slurm-Auftrag %1 begann nie: {2}</translation>
        </message>
        <message>
            <source>its Slurm job %1 is gone from the queue without a word: it was cancelled or refused before it began, or died at once</source>
            <translation>der Slurm-Auftrag %1 ist wortlos aus der Warteschlange verschwunden: Er wurde abgebrochen oder abgelehnt, bevor er begann, oder starb sofort</translation>
        </message>
        <message>
            <source>its Slurm job %1 ended before the run began: %2; it left no output</source>
            <translation>der Slurm-Auftrag %1 endete, bevor der Lauf begann: {2}; er hinterließ keine Ausgabe</translation>
        </message>
        <message>
            <source>its Slurm job %1 ended before the run began: %2; its output ends with %3; see runs/%4.log in the workspace</source>
            <translation>der Slurm-Auftrag %1 endete, bevor der Lauf begann: {2}; seine Ausgabe endet mit %3; siehe runs/%4.log im Arbeitsbereich</translation>
        </message>
        <message>
            <source>its Slurm job %1 ended before the run did: %2; it left no output</source>
            <translation>der Slurm-Auftrag %1 endete vor dem Lauf: {2}; er hinterließ keine Ausgabe</translation>
        </message>
        <message>
            <source>its Slurm job %1 ended before the run did: %2; its output ends with %3; see runs/%4.log in the workspace</source>
            <translation>der Slurm-Auftrag %1 endete vor dem Lauf: {2}; seine Ausgabe endet mit %3; siehe runs/%4.log im Arbeitsbereich</translation>
        </message>
        <message>
            <source>the cluster no longer knows how</source>
            <translation>der Cluster weiß nicht mehr, wie</translation>
        </message>
        <message>
            <source>job: %1 lines of its output are left out here; see runs/%2.log in the workspace</source>
            <translation>Auftrag: %1 Zeilen seiner Ausgabe sind hier ausgelassen; siehe runs/%2.log im Arbeitsbereich</translation>
        </message>
        <message>
            <source>%1 was not waited for</source>
            <translation>auf %1 wurde nicht gewartet</translation>
        </message>
        <message>
            <source>rank 0 said something that this rank does not understand: %1</source>
            <translation>Prozess 0 sagte etwas, das dieser Prozess nicht versteht: %1</translation>
        </message>
        <message>
            <source>the configuration of rank 0</source>
            <translation>die Konfiguration von Prozess 0</translation>
        </message>
        <message>
            <source>a run is under way in this process; wait for it or stop it first</source>
            <translation>in diesem Prozess läuft schon ein Lauf; warten oder ihn zuerst anhalten</translation>
        </message>
        <message>
            <source>the trainer failed: %1</source>
            <translation>der Trainer ist gescheitert: {1}</translation>
        </message>
        <message>
            <source>the trainer %1 cannot be loaded: %2; build it, or name another one in BATCHWISE_TRAINER</source>
            <translation>der Trainer %1 kann nicht geladen werden: {2}; ihn bauen, oder in BATCHWISE_TRAINER einen anderen nennen</translation>
        </message>
        <message>
            <source>it is no Batchwise trainer</source>
            <translation>er ist kein Trainer von Batchwise</translation>
        </message>
        <message>
            <source>it has interface %1 where this program needs %2</source>
            <translation>er hat Schnittstelle %1, dieses Programm braucht %2</translation>
        </message>
        <message>
            <source>it made no trainer</source>
            <translation>er machte keinen Trainer</translation>
        </message>
        <message>
            <source>this process trains already; start another one for a second run</source>
            <translation>dieser Prozess trainiert schon; für einen zweiten Lauf einen anderen starten</translation>
        </message>
        <message>
            <source>this process trains already; search the batch size when it is done</source>
            <translation>dieser Prozess trainiert schon; die Batchgröße danach suchen</translation>
        </message>
        <message>
            <source>the vocabulary of the checkpoint</source>
            <translation>das Vokabular des Checkpoints</translation>
        </message>
        <message>
            <source>the text has %1 tokens; this model takes at most %2</source>
            <translation>der Text hat %1 Tokens; dieses Modell nimmt höchstens %2</translation>
        </message>
        <message>
            <source>there is no [MASK] in the text; write [MASK] where a token is to be found</source>
            <translation>im Text steht kein [MASK]; [MASK] schreiben, wo ein Token gefunden werden soll</translation>
        </message>
        <message>
            <source>its program closed without ending the run</source>
            <translation>sein Programm wurde geschlossen, ohne den Lauf zu beenden</translation>
        </message>
        <message>
            <source>process %1 on '%2' ended without ending the run</source>
            <translation>Prozess %1 auf '%2' endete, ohne den Lauf zu beenden</translation>
        </message>
        <message>
            <source>it was running when its workspace was left</source>
            <translation>er lief, als sein Arbeitsbereich verlassen wurde</translation>
        </message>
        <message>
            <source>'%1' is shorter than it was before</source>
            <translation>'%1' ist kürzer als zuvor</translation>
        </message>
        <message>
            <source>not enough memory to unpack '%1'</source>
            <translation>nicht genug Speicher, um '%1' zu entpacken</translation>
        </message>
        <message>
            <source>'%1' %2; fetch or pack it again</source>
            <translation>'%1' {2}; noch einmal holen oder packen</translation>
        </message>
        <message>
            <source>is shorter than it was before</source>
            <translation>ist kürzer als zuvor</translation>
        </message>
        <message>
            <source>ends in the middle of its gzip data</source>
            <translation>endet mitten in den gzip-Daten</translation>
        </message>
        <message>
            <source>holds damaged gzip data</source>
            <translation>enthält beschädigte gzip-Daten</translation>
        </message>
        <message>
            <source>'%1' is a folder, a file is needed</source>
            <translation>'%1' ist ein Ordner, gebraucht wird eine Datei</translation>
        </message>
        <message>
            <source>'%1' is a pipe, socket or device; a regular file is needed</source>
            <translation>'%1' ist eine Pipe, ein Socket oder ein Gerät; gebraucht wird eine gewöhnliche Datei</translation>
        </message>
        <message>
            <source>stopped while another process prepares the data</source>
            <translation>angehalten, während ein anderer Prozess die Daten vorbereitet</translation>
        </message>
        <message>
            <source>stopped while tokenising; the next call goes on from there</source>
            <translation>beim Zerlegen in Tokens angehalten; das nächste Mal geht es dort weiter</translation>
        </message>
        <message>
            <source>stopped while reading '%1'</source>
            <translation>beim Lesen von '%1' angehalten</translation>
        </message>
        <message>
            <source>'%1' changed while it was prepared; start again once it is complete</source>
            <translation>'%1' hat sich beim Vorbereiten geändert; noch einmal starten, wenn die Datei fertig ist</translation>
        </message>
        <message>
            <source>the folder '%1' has no file for the format '%2' (%3, also with .gz); name other files with a pattern such as '%4'</source>
            <translation>der Ordner '%1' hat keine Datei im Format '%2' (%3, auch mit .gz); andere Dateien mit einem Muster wie '%4' nennen</translation>
        </message>
        <message>
            <source>no file fits the pattern '%1'</source>
            <translation>keine Datei passt zum Muster '%1'</translation>
        </message>
        <message>
            <source>names no text; give files, folders or patterns such as text/*.txt</source>
            <translation>nennt keinen Text; Dateien, Ordner oder Muster wie text/*.txt angeben</translation>
        </message>
        <message>
            <source>%1; train will refuse this</source>
            <translation>{1}; train wird das ablehnen</translation>
        </message>
        <message>
            <source>name the vocab.txt that the model of model.init_from was trained with</source>
            <translation>die vocab.txt angeben, mit der das Modell von model.init_from trainiert wurde</translation>
        </message>
        <message>
            <source>the lengths cannot be written below %1</source>
            <translation>die Längen können unter %1 nicht geschrieben werden</translation>
        </message>
        <message>
            <source>name a place that this account can write to</source>
            <translation>einen Ort angeben, an den dieses Konto schreiben darf</translation>
        </message>
        <message>
            <source>there is no file or folder '%1'</source>
            <translation>es gibt keine Datei und keinen Ordner '%1'</translation>
        </message>
        <message>
            <source>'%1' is a pipe, socket or device; a regular file or a folder is needed</source>
            <translation>'%1' ist eine Pipe, ein Socket oder ein Gerät; gebraucht wird eine gewöhnliche Datei oder ein Ordner</translation>
        </message>
        <message>
            <source>names text, and data.format is demo, which makes its own; set data.format to text, lines or jsonl, or leave %1 empty</source>
            <translation>nennt Text, und data.format ist demo, das sich selbst Text macht; data.format auf text, lines oder jsonl setzen, oder %1 leer lassen</translation>
        </message>
        <message>
            <source>'%1' is not a text format; use text, lines or jsonl</source>
            <translation>'%1' ist kein Textformat; text, lines oder jsonl nehmen</translation>
        </message>
        <message>
            <source>a name is empty; give a file, a folder or a pattern</source>
            <translation>ein Name ist leer; eine Datei, einen Ordner oder ein Muster angeben</translation>
        </message>
        <message>
            <source>'%1' is named %2 times; it is read once</source>
            <translation>'%1' ist %2-mal genannt; gelesen wird sie einmal</translation>
        </message>
        <message>
            <source>%1 files are named more than once ('%2' is named %3 times); each is read once</source>
            <translation>%1 Dateien sind mehrmals genannt ('%2' %3-mal); jede wird einmal gelesen</translation>
        </message>
        <message>
            <source>'%1' has the content of '%2'; both are read</source>
            <translation>'%1' hat den Inhalt von '%2'; beide werden gelesen</translation>
        </message>
        <message>
            <source>%1 files have the content of another one; all are read. The first: '%2' has the content of '%3'</source>
            <translation>%1 Dateien haben den Inhalt einer anderen; alle werden gelesen. Die erste: '%2' hat den Inhalt von '%3'</translation>
        </message>
        <message>
            <source>'%1' has the content of '%2', which is trained on: the evaluation says little about new text. Files concerned: %3</source>
            <translation>'%1' hat den Inhalt von '%2', womit trainiert wird: die Evaluation sagt wenig über neuen Text. Betroffene Dateien: %3</translation>
        </message>
        <message>
            <source>%1; it may have moved: name its new place with --set data.train=[...]</source>
            <translation>{1}; vielleicht ist sie umgezogen: den neuen Ort unter data.train nennen</translation>
        </message>
        <message>
            <source>'%1' is taken for '%2', as before</source>
            <translation>'%1' wird für '%2' genommen, wie zuvor</translation>
        </message>
        <message>
            <source>'%1' is gone; '%2' has the same content and is taken</source>
            <translation>'%1' ist weg; '%2' hat denselben Inhalt und wird genommen</translation>
        </message>
        <message>
            <source>'%1' is gone, and no file with its content is near '%2' or '%3'; put it back, or name its new place with --set data.train=[...]</source>
            <translation>'%1' ist weg, und keine Datei mit ihrem Inhalt ist in der Nähe von '%2' oder '%3'; sie zurücklegen, oder den neuen Ort unter data.train nennen</translation>
        </message>
        <message>
            <source>data.train names no text; give files, folders or patterns such as text/*.txt</source>
            <translation>data.train nennt keinen Text; Dateien, Ordner oder Muster wie text/*.txt angeben</translation>
        </message>
        <message>
            <source>data.max_seq_len is %1; it must be 3 to 65536</source>
            <translation>data.max_seq_len ist %1; möglich sind 3 bis 65536</translation>
        </message>
        <message>
            <source>data.holdout is %1; it must be at least 0 and below 1</source>
            <translation>data.holdout ist %1; möglich ist ab 0 und unter 1</translation>
        </message>
        <message>
            <source>stopped while training the vocabulary</source>
            <translation>beim Trainieren des Vokabulars angehalten</translation>
        </message>
        <message>
            <source>%1; free some space or choose another workspace, the preparation goes on where it stood</source>
            <translation>{1}; Platz schaffen oder einen anderen Arbeitsbereich wählen, die Vorbereitung geht weiter, wo sie stand</translation>
        </message>
        <message>
            <source>the holdout of %1 % took none of the %2 documents: nothing is evaluated; name texts in data.eval or raise data.holdout</source>
            <translation>der Anteil von %1 % nahm keines der %2 Dokumente: nichts wird ausgewertet; Texte in data.eval nennen oder data.holdout erhöhen</translation>
        </message>
        <message>
            <source>the evaluation text</source>
            <translation>der Auswertungstext</translation>
        </message>
        <message>
            <source>all documents of %1 were held out for evaluation; lower data.holdout or give more text</source>
            <translation>alle Dokumente von %1 wurden für die Auswertung zurückgelegt; data.holdout senken oder mehr Text angeben</translation>
        </message>
        <message>
            <source>there is no text in %1: nothing but white space or control characters</source>
            <translation>in %1 ist kein Text: nur Leerraum oder Steuerzeichen</translation>
        </message>
        <message>
            <source>%1: %2 places are not valid Unicode; each was replaced by U+FFFD, which the tokenizer drops</source>
            <translation>%1: %2 Stellen sind kein gültiges Unicode; jede wurde durch U+FFFD ersetzt, das der Tokenizer weglässt</translation>
        </message>
        <message>
            <source>%1: documents longer than 1 MiB were cut in %2 places</source>
            <translation>%1: Dokumente über 1 MiB wurden an %2 Stellen geteilt</translation>
        </message>
        <message>
            <source>is not valid JSON at byte %1</source>
            <translation>ist bei Byte %1 kein gültiges JSON</translation>
        </message>
        <message>
            <source>has no field '%1' (set data.text_field)</source>
            <translation>hat kein Feld '%1' (data.text_field setzen)</translation>
        </message>
        <message>
            <source>holds %1 in place of a JSON object</source>
            <translation>enthält %1 anstelle eines JSON-Objekts</translation>
        </message>
        <message>
            <source>has %1 in the field '%2', a string is needed</source>
            <translation>hat %1 im Feld '%2', gebraucht wird ein Text</translation>
        </message>
        <message>
            <source>'%1' is UTF-16 or UTF-32 text; convert it to UTF-8, for instance with iconv</source>
            <translation>'%1' ist UTF-16- oder UTF-32-Text; in UTF-8 umwandeln, zum Beispiel mit iconv</translation>
        </message>
        <message>
            <source>'%1' looks like %2 text without a byte order mark; convert it to UTF-8: iconv -f %3 -t UTF-8</source>
            <translation>'%1' sieht aus wie %2-Text ohne Byte-Order-Mark; in UTF-8 umwandeln: iconv -f %3 -t UTF-8</translation>
        </message>
        <message>
            <source>the line is longer than %1 bytes</source>
            <translation>die Zeile ist länger als %1 Bytes</translation>
        </message>
        <message>
            <source>the token file '%1' %2; delete it and prepare the data again</source>
            <translation>die Tokendatei '%1' {2}; sie löschen und die Daten neu vorbereiten</translation>
        </message>
        <message>
            <source>the token file '%1' has version %2, this program knows version 1; prepare the data again</source>
            <translation>die Tokendatei '%1' hat Version %2, dieses Programm kennt Version 1; die Daten neu vorbereiten</translation>
        </message>
        <message>
            <source>is not a token file</source>
            <translation>ist keine Tokendatei</translation>
        </message>
        <message>
            <source>is too short</source>
            <translation>ist zu kurz</translation>
        </message>
        <message>
            <source>has a damaged header</source>
            <translation>hat einen beschädigten Kopf</translation>
        </message>
        <message>
            <source>has damaged content</source>
            <translation>hat beschädigten Inhalt</translation>
        </message>
        <message>
            <source>has another size than its header says</source>
            <translation>hat eine andere Größe, als der Kopf sagt</translation>
        </message>
        <message>
            <source>has a damaged sequence table</source>
            <translation>hat eine beschädigte Sequenztabelle</translation>
        </message>
        <message>
            <source>'%1' is shorter than it was left</source>
            <translation>'%1' ist kürzer als zurückgelassen</translation>
        </message>
        <message>
            <source>%1 has no tokens; it needs one per line</source>
            <translation>%1 hat keine Tokens; gebraucht wird eines je Zeile</translation>
        </message>
        <message>
            <source>%1 has %2 tokens; at most %3 are possible</source>
            <translation>%1 hat %2 Tokens; höchstens %3 sind möglich</translation>
        </message>
        <message>
            <source>%1is empty, a token is needed on each line</source>
            <translation>%1ist leer, auf jeder Zeile muss ein Token stehen</translation>
        </message>
        <message>
            <source>%1is not UTF-8 text</source>
            <translation>%1ist kein UTF-8-Text</translation>
        </message>
        <message>
            <source>the folder '%1' holds no vocab.txt</source>
            <translation>der Ordner '%1' enthält keine vocab.txt</translation>
        </message>
        <message>
            <source>%1'%2' is on line %3 already; each token must be there once</source>
            <translation>%1'%2' steht schon in Zeile %3; jedes Token darf nur einmal da sein</translation>
        </message>
        <message>
            <source>%1 lacks %2; a BERT vocabulary has [PAD], [UNK], [CLS], [SEP] and [MASK], each on a line of its own</source>
            <translation>in %1 fehlt %2; ein BERT-Vokabular hat [PAD], [UNK], [CLS], [SEP] und [MASK], jedes auf einer eigenen Zeile</translation>
        </message>
        <message>
            <source>%1 has only special tokens; it needs pieces of words too</source>
            <translation>%1 hat nur besondere Tokens; gebraucht werden auch Wortstücke</translation>
        </message>
        <message>
            <source>no vocabulary can be trained on this text: %1</source>
            <translation>auf diesem Text lässt sich kein Vokabular trainieren: %1</translation>
        </message>
        <message>
            <source>the trained vocabulary cannot be read: %1</source>
            <translation>das trainierte Vokabular ist nicht lesbar: {1}</translation>
        </message>
        <message>
            <source>tokenizer.train.vocab_size is %1; it must be %2 to %3</source>
            <translation>tokenizer.train.vocab_size ist %1; möglich sind %2 bis %3</translation>
        </message>
        <message>
            <source>the training text has no words, so no vocabulary can be trained on it</source>
            <translation>der Trainingstext hat keine Wörter, also lässt sich kein Vokabular darauf trainieren</translation>
        </message>
        <message>
            <source>the trained vocabulary</source>
            <translation>das trainierte Vokabular</translation>
        </message>
        <message>
            <source>cannot read '%1': %2</source>
            <translation>'%1' ist nicht lesbar: {2}</translation>
        </message>
        <message>
            <source>cannot write '%1': %2</source>
            <translation>'%1' ist nicht schreibbar: {2}</translation>
        </message>
        <message>
            <source>cannot make the folder '%1': %2</source>
            <translation>der Ordner '%1' lässt sich nicht anlegen: {2}</translation>
        </message>
        <message>
            <source>cannot open the folder '%1': %2</source>
            <translation>der Ordner '%1' lässt sich nicht öffnen: {2}</translation>
        </message>
        <message>
            <source>cannot read the folder '%1': %2</source>
            <translation>der Ordner '%1' ist nicht lesbar: {2}</translation>
        </message>
        <message>
            <source>cannot ask for free space of '%1': %2</source>
            <translation>der freie Platz von '%1' ist nicht zu erfahren: {2}</translation>
        </message>
        <message>
            <source>cannot open the lock '%1': %2</source>
            <translation>die Sperre '%1' lässt sich nicht öffnen: {2}</translation>
        </message>
        <message>
            <source>cannot find the checkpoint file '%1': %2</source>
            <translation>die Checkpointdatei '%1' ist nicht zu finden: {2}</translation>
        </message>
        <message>
            <source>%1 '%2': %3</source>
            <translation>%1 '%2': {3}</translation>
        </message>
        <message>
            <source>No such file or directory</source>
            <translation>Datei oder Ordner fehlt</translation>
        </message>
        <message>
            <source>Permission denied</source>
            <translation>keine Berechtigung</translation>
        </message>
        <message>
            <source>No space left on device</source>
            <translation>kein Platz mehr auf der Platte</translation>
        </message>
        <message>
            <source>Not a directory</source>
            <translation>kein Ordner</translation>
        </message>
        <message>
            <source>Is a directory</source>
            <translation>ist ein Ordner</translation>
        </message>
        <message>
            <source>Read-only file system</source>
            <translation>nur lesbares Dateisystem</translation>
        </message>
        <message>
            <source>Disk quota exceeded</source>
            <translation>Plattenkontingent erschöpft</translation>
        </message>
        <message>
            <source>Input/output error</source>
            <translation>Ein-/Ausgabefehler</translation>
        </message>
        <message>
            <source>'%1' is larger than %2 bytes</source>
            <translation>'%1' ist größer als %2 Bytes</translation>
        </message>
        <message>
            <source>'%1' is no regular file</source>
            <translation>'%1' ist keine gewöhnliche Datei</translation>
        </message>
        <message>
            <source>'%1' is a device, a pipe or a socket; a file is needed</source>
            <translation>'%1' ist ein Gerät, eine Pipe oder ein Socket; gebraucht wird eine Datei</translation>
        </message>
        <message>
            <source>'%1' was changed, cut short or became unreadable while it was in use; let nothing write to it, and start again</source>
            <translation>'%1' wurde während der Benutzung verändert, gekürzt oder unlesbar; nichts anderes hineinschreiben lassen und neu beginnen</translation>
        </message>
        <message>
            <source>has %1 bytes; at most %2 are allowed</source>
            <translation>hat %1 Bytes; erlaubt sind höchstens %2</translation>
        </message>
        <message>
            <source>is no valid UTF-8; write it in that encoding</source>
            <translation>ist kein gültiges UTF-8; in dieser Kodierung schreiben</translation>
        </message>
        <message>
            <source>contains a control character; use printable ones</source>
            <translation>enthält ein Steuerzeichen; druckbare Zeichen nehmen</translation>
        </message>
        <message>
            <source>contains a character that turns the direction of text; leave it out</source>
            <translation>enthält ein Zeichen, das die Textrichtung umkehrt; es weglassen</translation>
        </message>
        <message>
            <source>no space left for %1; free some space</source>
            <translation>kein Platz mehr für %1; Platz schaffen</translation>
        </message>
        <message>
            <source>the disk of '%1' is full (%2 needed, %3 free); free some space: %4</source>
            <translation>die Platte von '%1' ist voll (%2 gebraucht, %3 frei); Platz schaffen: {4}</translation>
        </message>
        <message>
            <source>a row of table '%1' fails its checksum</source>
            <translation>eine Zeile der Tabelle '%1' hat eine falsche Prüfsumme</translation>
        </message>
        <message>
            <source>table '%1' does not hold the rows that were stored in it</source>
            <translation>Tabelle '%1' enthält nicht die Zeilen, die in ihr gespeichert wurden</translation>
        </message>
        <message>
            <source>%1; end every program that uses the workspace, then resume</source>
            <translation>{1}; alle Programme beenden, die den Arbeitsbereich benutzen, dann fortsetzen</translation>
        </message>
        <message>
            <source>another program deleted or replaced '%1' while it was in use</source>
            <translation>ein anderes Programm hat '%1' während der Benutzung gelöscht oder ersetzt</translation>
        </message>
        <message>
            <source>process %1 on '%2' writes a run in '%3' with an earlier version of Batchwise; stop that run, then open the workspace again</source>
            <translation>Prozess %1 auf '%2' schreibt mit einer früheren Version von Batchwise einen Lauf in '%3'; diesen Lauf anhalten, dann den Arbeitsbereich wieder öffnen</translation>
        </message>
        <message>
            <source>its run was deleted</source>
            <translation>sein Lauf wurde gelöscht</translation>
        </message>
        <message>
            <source>its run is in a journal only; `batchwise runs sync` takes it in</source>
            <translation>sein Lauf steht nur in einem Journal; `batchwise runs sync` nimmt ihn auf</translation>
        </message>
        <message>
            <source>its run cannot be read: %1</source>
            <translation>sein Lauf ist nicht lesbar: {1}</translation>
        </message>
        <message>
            <source>it cannot be resumed: %1</source>
            <translation>er kann nicht fortgesetzt werden: {1}</translation>
        </message>
        <message>
            <source>it was interrupted before this version; `batchwise resume` goes on with it</source>
            <translation>er wurde vor dieser Version unterbrochen; `batchwise resume` setzt ihn fort</translation>
        </message>
        <message>
            <source>damaged: '%1': %2; `batchwise store salvage` copies what can be read into a new workspace</source>
            <translation>beschädigt: '%1': %2; `batchwise store salvage` kopiert, was lesbar ist, in einen neuen Arbeitsbereich</translation>
        </message>
        <message>
            <source>damaged: '%1': %2; it was not brought to the new version; `batchwise store salvage` copies what can be read into a new workspace</source>
            <translation>beschädigt: '%1': %2; nicht auf die neue Version gebracht; `batchwise store salvage` kopiert, was lesbar ist, in einen neuen Arbeitsbereich</translation>
        </message>
        <message>
            <source>damaged: the header of '%1' contradicts itself; `batchwise store salvage` copies what can be read into a new workspace</source>
            <translation>beschädigt: der Kopf von '%1' widerspricht sich; `batchwise store salvage` kopiert, was lesbar ist, in einen neuen Arbeitsbereich</translation>
        </message>
        <message>
            <source>cannot read or write %1%2</source>
            <translation>%1 ist nicht les- oder schreibbar{2}</translation>
        </message>
        <message>
            <source>in use by another program: %1</source>
            <translation>von einem anderen Programm benutzt: %1</translation>
        </message>
        <message>
            <source>not accessible: %1</source>
            <translation>kein Zugriff: %1</translation>
        </message>
        <message>
            <source>'%1' asks for more work than a file of its size can need; it was given up</source>
            <translation>'%1' verlangt mehr Arbeit, als eine Datei dieser Größe brauchen kann; aufgegeben</translation>
        </message>
        <message>
            <source>not enough memory for %1</source>
            <translation>nicht genug Speicher für %1</translation>
        </message>
        <message>
            <source>another program has held '%1' for %2 s; see with `fuser` which one, and end or continue it</source>
            <translation>ein anderes Programm hält '%1' seit %2 s; mit `fuser` nachsehen, welches, und es beenden oder weiterlaufen lassen</translation>
        </message>
        <message>
            <source>the workspace '%1' lies on %2 and is used by the machine '%3', this is '%4': a database on a shared file system can be open on one machine only; choose another workspace here, or delete '%5' if that machine no longer uses it</source>
            <translation>der Arbeitsbereich '%1' liegt auf %2 und wird vom Rechner '%3' benutzt, dies ist '%4': eine Datenbank auf einem geteilten Dateisystem kann nur auf einem Rechner offen sein; hier einen anderen Arbeitsbereich wählen, oder '%5' löschen, wenn jener Rechner ihn nicht mehr benutzt</translation>
        </message>
        <message>
            <source>the workspace '%1' lies on %2 and is used by the machine '%3', this is another one of that name: a database on a shared file system can be open on one machine only; choose another workspace here, or delete '%4' if that machine no longer uses it</source>
            <translation>der Arbeitsbereich '%1' liegt auf %2 und wird vom Rechner '%3' benutzt, dies ist ein anderer dieses Namens: Auf einem gemeinsamen Dateisystem kann eine Datenbank nur auf einem Rechner geöffnet sein; hier einen anderen Arbeitsbereich wählen oder '%4' löschen, wenn jener Rechner ihn nicht mehr benutzt</translation>
        </message>
        <message>
            <source>an unknown file system, type %1</source>
            <translation>einem unbekannten Dateisystem, Typ %1</translation>
        </message>
        <message>
            <source>an unknown file system</source>
            <translation>einem unbekannten Dateisystem</translation>
        </message>
        <message>
            <source>cannot lock '%1': the file system has no locks (%2); two programs would write over each other there. Put the workspace on a file system with working locks (NFS: without 'nolock', with its lock service running)</source>
            <translation>'%1' lässt sich nicht sperren: Das Dateisystem hat keine Sperren (%2); zwei Programme würden sich dort überschreiben. Den Arbeitsbereich auf ein Dateisystem mit wirksamen Sperren legen (NFS: ohne 'nolock', mit laufendem Sperrdienst)</translation>
        </message>
        <message>
            <source>cannot lock '%1': the file system gives the same lock twice; two programs would write over each other there. Put the workspace on a file system with working locks (NFS: without 'nolock', with its lock service running)</source>
            <translation>'%1' lässt sich nicht sperren: Das Dateisystem vergibt dieselbe Sperre zweimal; zwei Programme würden sich dort überschreiben. Den Arbeitsbereich auf ein Dateisystem mit wirksamen Sperren legen (NFS: ohne 'nolock', mit laufendem Sperrdienst)</translation>
        </message>
        <message>
            <source>a run cannot be named 'latest', which means the newest run; add a word</source>
            <translation>ein Lauf kann nicht 'latest' heißen, das meint den neuesten Lauf; ein Wort anhängen</translation>
        </message>
        <message>
            <source>the name of a run %1</source>
            <translation>der Name eines Laufs {1}</translation>
        </message>
        <message>
            <source>there is no run '%1': the workspace has none yet</source>
            <translation>es gibt keinen Lauf '%1': der Arbeitsbereich hat noch keinen</translation>
        </message>
        <message>
            <source>there is no run '%1'; %2</source>
            <translation>es gibt keinen Lauf '%1'; {2}</translation>
        </message>
        <message>
            <source>`batchwise runs list` shows those there are</source>
            <translation>`batchwise runs list` zeigt, welche es gibt</translation>
        </message>
        <message>
            <source>'%1' begins more than one run id (%2); type more of it</source>
            <translation>mit '%1' beginnen mehrere Läufe (%2); mehr davon tippen</translation>
        </message>
        <message>
            <source>the run is being written by process %1 on '%2'; stop that one first</source>
            <translation>der Lauf wird von Prozess %1 auf '%2' geschrieben; diesen zuerst anhalten</translation>
        </message>
        <message>
            <source>the run is being written elsewhere; stop that writer first</source>
            <translation>der Lauf wird anderswo geschrieben; das zuerst anhalten</translation>
        </message>
        <message>
            <source>there is another run named '%1'; for example '%2' is free</source>
            <translation>es gibt schon einen Lauf namens '%1'; frei ist zum Beispiel '%2'</translation>
        </message>
        <message>
            <source>run '%1' is running; stop it first</source>
            <translation>Lauf '%1' läuft; ihn zuerst anhalten</translation>
        </message>
        <message>
            <source>run '%1' has no series '%2'%3</source>
            <translation>Lauf '%1' hat keine Reihe '%2'{3}</translation>
        </message>
        <message>
            <source>; did you mean '%1'?</source>
            <translation>; gemeint war vielleicht '%1'</translation>
        </message>
        <message>
            <source>there is no checkpoint '%1'; `batchwise checkpoints list` shows those there are</source>
            <translation>es gibt keinen Checkpoint '%1'; `batchwise checkpoints list` zeigt, welche es gibt</translation>
        </message>
        <message>
            <source>there is no checkpoint '%1'</source>
            <translation>es gibt keinen Checkpoint '%1'</translation>
        </message>
        <message>
            <source>the workspace '%1' was opened for reading only</source>
            <translation>der Arbeitsbereich '%1' ist nur zum Lesen geöffnet</translation>
        </message>
        <message>
            <source>'%1' exists already; name a file that does not</source>
            <translation>'%1' gibt es schon; eine Datei nennen, die es nicht gibt</translation>
        </message>
        <message>
            <source>'%1' is no file in the folder 'checkpoints' of the workspace</source>
            <translation>'%1' ist keine Datei im Ordner 'checkpoints' des Arbeitsbereichs</translation>
        </message>
        <message>
            <source>'%1' is no file in the folder 'checkpoints' or 'runs' of the workspace</source>
            <translation>'%1' ist keine Datei im Ordner 'checkpoints' oder 'runs' des Arbeitsbereichs</translation>
        </message>
        <message>
            <source>'%1' is no id of a checkpoint</source>
            <translation>'%1' ist keine Kennung eines Checkpoints</translation>
        </message>
        <message>
            <source>run '%1' has the impossible id '%2'; `batchwise store salvage` gives it another</source>
            <translation>Lauf '%1' hat die unmögliche Kennung '%2'; `batchwise store salvage` gibt ihm eine andere</translation>
        </message>
        <message>
            <source>'%1' is a rollback journal, which a workspace never has: another program was interrupted while it wrote there, or somebody put it there to delete files elsewhere; it was not applied. Move it away to open the workspace without it, or open the database with the program that left it</source>
            <translation>'%1' ist ein Rollback-Journal, das ein Arbeitsbereich nie hat: Ein anderes Programm wurde dort beim Schreiben unterbrochen, oder jemand hat es dorthin gelegt, um anderswo Dateien zu löschen; es wurde nicht angewandt. Verschieben Sie es, um den Arbeitsbereich ohne es zu öffnen, oder öffnen Sie die Datenbank mit dem Programm, das es hinterlassen hat</translation>
        </message>
        <message>
            <source>'%1' is a link, which is not followed inside a workspace; put the file or folder itself there (the workspace as a whole may be a link)</source>
            <translation>'%1' ist ein Verweis, dem innerhalb eines Arbeitsbereichs nicht gefolgt wird; legen Sie die Datei oder den Ordner selbst dorthin (der Arbeitsbereich als Ganzes darf ein Verweis sein)</translation>
        </message>
        <message>
            <source>'%1' is not a plain folder</source>
            <translation>'%1' ist kein gewöhnlicher Ordner</translation>
        </message>
        <message>
            <source>'%1' is not a plain file name</source>
            <translation>'%1' ist kein gewöhnlicher Dateiname</translation>
        </message>
        <message>
            <source>it holds more text than it is long</source>
            <translation>sie enthält mehr Text, als sie lang ist</translation>
        </message>
        <message>
            <source>'%1' is there twice, or is one too many</source>
            <translation>'%1' steht doppelt da oder ist eines zu viel</translation>
        </message>
        <message>
            <source>%1 has %2 bytes, written were %3</source>
            <translation>%1 hat %2 Bytes, geschrieben wurden %3</translation>
        </message>
        <message>
            <source>'%1' is not writable for you; choose another workspace folder, or change its permissions</source>
            <translation>'%1' ist für dieses Konto nicht schreibbar; einen anderen Ordner wählen, oder die Rechte ändern</translation>
        </message>
        <message>
            <source>'%1' is empty (0 bytes): it is not a workspace; restore it from a backup, %2</source>
            <translation>'%1' ist leer (0 Bytes): kein Arbeitsbereich; aus einer Sicherung wiederherstellen, {2}</translation>
        </message>
        <message>
            <source>'%1' is not an SQLite database; restore it from a backup, %2</source>
            <translation>'%1' ist keine SQLite-Datenbank; aus einer Sicherung wiederherstellen, {2}</translation>
        </message>
        <message>
            <source>or delete it to start a new one</source>
            <translation>oder löschen, um neu zu beginnen</translation>
        </message>
        <message>
            <source>or let `batchwise store salvage NEW --from '%1'` make a new workspace of the checkpoints and journals that lie beside it</source>
            <translation>oder `batchwise store salvage NEW --from '%1'` aus den Checkpoints und Journalen daneben einen neuen Arbeitsbereich machen lassen</translation>
        </message>
        <message>
            <source>'%1' is a database of another program (application id %2); it was not touched; choose another folder</source>
            <translation>'%1' ist die Datenbank eines anderen Programms (application id %2); unberührt; einen anderen Ordner wählen</translation>
        </message>
        <message>
            <source>'%1' is a database of another program (application id %2)</source>
            <translation>'%1' ist die Datenbank eines anderen Programms (application id %2)</translation>
        </message>
        <message>
            <source>'%1' is missing, but its '%2' is there; restore the file from a backup, or move the other away to start a new workspace</source>
            <translation>'%1' fehlt, aber '%2' dazu ist da; die Datei aus einer Sicherung wiederherstellen, oder die andere wegräumen, um neu zu beginnen</translation>
        </message>
        <message>
            <source>'%1' is read-only and its newest rows are still in '%2'; copy the folder to a writable place and open it there</source>
            <translation>'%1' ist nur lesbar und die neuesten Zeilen sind noch in '%2'; den Ordner an einen schreibbaren Ort kopieren und dort öffnen</translation>
        </message>
        <message>
            <source>'%1' has schema version %2, needed is %3; open it once for writing</source>
            <translation>'%1' hat Schemaversion %2, gebraucht wird %3; einmal zum Schreiben öffnen</translation>
        </message>
        <message>
            <source>'%1' has schema version %2, this program knows up to %3; use a newer Batchwise</source>
            <translation>'%1' hat Schemaversion %2, dieses Programm kennt bis %3; ein neueres Batchwise nehmen</translation>
        </message>
        <message>
            <source>'%1' does not have the tables of a workspace of version %2: something was added, left out or replaced</source>
            <translation>'%1' hat nicht die Tabellen eines Arbeitsbereichs der Version %2: etwas wurde hinzugefügt, weggelassen oder ersetzt</translation>
        </message>
        <message>
            <source>the workspace '%1' is a file, a folder is needed</source>
            <translation>der Arbeitsbereich '%1' ist eine Datei, gebraucht wird ein Ordner</translation>
        </message>
        <message>
            <source>a checkpoint needs %1, '%2' has %3 free; free some space or keep fewer checkpoints</source>
            <translation>ein Checkpoint braucht %1, '%2' hat %3 frei; Platz schaffen oder weniger Checkpoints behalten</translation>
        </message>
        <message>
            <source>checkpoint '%1' is damaged: %2</source>
            <translation>Checkpoint '%1' ist beschädigt: {2}</translation>
        </message>
        <message>
            <source>chunk %1 of entry '%2' %3</source>
            <translation>Stück %1 von Eintrag '%2' {3}</translation>
        </message>
        <message>
            <source>has a wrong length</source>
            <translation>hat eine falsche Länge</translation>
        </message>
        <message>
            <source>fails its hash</source>
            <translation>hat eine falsche Prüfsumme</translation>
        </message>
        <message>
            <source>its manifest does not match its content</source>
            <translation>das Inhaltsverzeichnis passt nicht zum Inhalt</translation>
        </message>
        <message>
            <source>it holds a table that does not belong there</source>
            <translation>eine Tabelle darin gehört nicht hinein</translation>
        </message>
        <message>
            <source>tables are missing</source>
            <translation>Tabellen fehlen</translation>
        </message>
        <message>
            <source>'%1' is not a checkpoint of Batchwise</source>
            <translation>'%1' ist kein Checkpoint von Batchwise</translation>
        </message>
        <message>
            <source>checkpoint '%1' has format %2, this program knows up to %3; use a newer Batchwise</source>
            <translation>Checkpoint '%1' hat Format %2, dieses Programm kennt bis %3; ein neueres Batchwise nehmen</translation>
        </message>
        <message>
            <source>checkpoint '%1' has %2 bytes, it should have %3</source>
            <translation>Checkpoint '%1' hat %2 Bytes, es sollten %3 sein</translation>
        </message>
        <message>
            <source>checkpoint '%1' has no entry '%2'</source>
            <translation>Checkpoint '%1' hat keinen Eintrag '%2'</translation>
        </message>
        <message>
            <source>writing the checkpoint failed: %1</source>
            <translation>der Checkpoint konnte nicht geschrieben werden: %1</translation>
        </message>
        <message>
            <source>writing the checkpoint</source>
            <translation>beim Schreiben des Checkpoints</translation>
        </message>
        <message>
            <source>the system has no %1 bytes for a checkpoint</source>
            <translation>das System hat keine %1 Bytes für einen Checkpoint</translation>
        </message>
        <message>
            <source>%1: each of %2 heads has %3 features; on a GPU fp32 and tf32 take a multiple of 4, bf16 and fp16 one of 8, at most 256</source>
            <translation>%1: jeder von %2 Köpfen hat %3 Merkmale; auf einer GPU brauchen fp32 und tf32 ein Vielfaches von 4, bf16 und fp16 eines von 8, höchstens 256</translation>
        </message>
        <message>
            <source>precision: tf32 is for GPUs; the processor computes in fp32</source>
            <translation>precision: tf32 ist für GPUs; der Prozessor rechnet in fp32</translation>
        </message>
        <message>
            <source>chosen where nothing was said: %1</source>
            <translation>gewählt, wo nichts gesagt war: %1</translation>
        </message>
        <message>
            <source>precision "%1" is unknown: use fp32, tf32, bf16 or fp16</source>
            <translation>precision "%1" ist unbekannt: fp32, tf32, bf16 oder fp16 nehmen</translation>
        </message>
        <message>
            <source>not enough memory for the model's %1 parameters with their gradients: %2</source>
            <translation>nicht genug Speicher für die %1 Parameter des Modells mit ihren Gradienten: {2}</translation>
        </message>
        <message>
            <source>the folder has no tensor "%1"; a BERT of this shape needs it</source>
            <translation>der Ordner hat keinen Tensor "%1"; ein BERT dieser Form braucht ihn</translation>
        </message>
        <message>
            <source>tensor "%1" of the folder has the shape %2, the model needs %3</source>
            <translation>Tensor "%1" des Ordners hat die Form %2, das Modell braucht %3</translation>
        </message>
        <message>
            <source>tensor "%1" has the shape %2, the model needs %3</source>
            <translation>Tensor "%1" hat die Form %2, das Modell braucht %3</translation>
        </message>
        <message>
            <source>ranks on processors talk over MPI, but %1 cannot be loaded: %2; install libopenmpi-dev and build again</source>
            <translation>Prozesse auf Prozessoren reden über MPI, aber %1 kann nicht geladen werden: %2; libopenmpi-dev installieren und neu bauen</translation>
        </message>
        <message>
            <source>%1 did not connect to rank 0 within %2 s</source>
            <translation>%1 hat sich in %2 s nicht mit Prozess 0 verbunden</translation>
        </message>
        <message>
            <source>rank %1 cannot reach rank 0 at %2:%3; the machines of a run must reach each other over TCP</source>
            <translation>Prozess %1 erreicht Prozess 0 unter %2:%3 nicht; die Rechner eines Laufs müssen einander über TCP erreichen</translation>
        </message>
        <message>
            <source>rank 0 has been silent for %1 s</source>
            <translation>Prozess 0 schweigt seit %1 s</translation>
        </message>
        <message>
            <source>%1 was lost%2: its process ended without a word (killed, out of memory, or the machine is gone)</source>
            <translation>%1 ging verloren%2: der Prozess endete ohne ein Wort (getötet, Speicher voll, oder der Rechner ist weg)</translation>
        </message>
        <message>
            <source>global batch %1 cannot be in its part %2 after %3 units of the epoch</source>
            <translation>der globale Batch %1 kann nach %3 Einheiten der Epoche nicht in seinem Teil %2 sein</translation>
        </message>
        <message>
            <source>epoch %1 has no units %2 to %3</source>
            <translation>Epoche %1 hat keine Einheiten %2 bis %3</translation>
        </message>
        <message>
            <source>epoch %1 has no unit at place %2</source>
            <translation>Epoche %1 hat keine Einheit an Stelle %2</translation>
        </message>
        <message>
            <source>the plan has no part %1 in global batch %2</source>
            <translation>der Plan hat keinen Teil %1 im globalen Batch %2</translation>
        </message>
        <message>
            <source>the checkpoint just written</source>
            <translation>der eben geschriebene Checkpoint</translation>
        </message>
        <message>
            <source>tensor %1 has the unknown type '%2'</source>
            <translation>Tensor %1 hat den unbekannten Typ '%2'</translation>
        </message>
        <message>
            <source>tensor %1 has an impossible shape</source>
            <translation>Tensor %1 hat eine unmögliche Form</translation>
        </message>
        <message>
            <source>tensor %1 has %2 bytes where its shape takes %3</source>
            <translation>Tensor %1 hat %2 Bytes, seine Form braucht %3</translation>
        </message>
        <message>
            <source>tensor %1 has a type that checkpoints do not know</source>
            <translation>Tensor %1 hat einen Typ, den Checkpoints nicht kennen</translation>
        </message>
        <message>
            <source>the ranks do not add up equally many values: they are not at the same place</source>
            <translation>die Prozesse summieren verschieden viele Werte: sie sind nicht an derselben Stelle</translation>
        </message>
        <message>
            <source>ranks cannot add up %1</source>
            <translation>Prozesse können nicht summieren: %1</translation>
        </message>
        <message>
            <source>%1 is no MPI library of Batchwise</source>
            <translation>%1 ist keine MPI-Bibliothek von Batchwise</translation>
        </message>
        <message>
            <source>this MPI library does not allow calls from several threads</source>
            <translation>diese MPI-Bibliothek erlaubt keine Aufrufe aus mehreren Threads</translation>
        </message>
        <message>
            <source>NCCL cannot be loaded: %1</source>
            <translation>NCCL kann nicht geladen werden: %1</translation>
        </message>
        <message>
            <source>%1 is older than NCCL 2.14</source>
            <translation>%1 ist älter als NCCL 2.14</translation>
        </message>
        <message>
            <source>NCCL: %1 took longer than %2 s; the environment variable NCCL_DEBUG=INFO shows what it waits for</source>
            <translation>NCCL: {1} dauerte länger als %2 s; die Umgebungsvariable NCCL_DEBUG=INFO zeigt, worauf es wartet</translation>
        </message>
        <message>
            <source>adding up gradients</source>
            <translation>Gradienten summieren</translation>
        </message>
        <message>
            <source>handing out the weights</source>
            <translation>Gewichte austeilen</translation>
        </message>
        <message>
            <source>%1 has not come to it</source>
            <translation>{1} ist nicht dazu gekommen</translation>
        </message>
        <message>
            <source>%1, last seen in %2</source>
            <translation>{1}, zuletzt gesehen in {2}</translation>
        </message>
        <message>
            <source>the input of a process</source>
            <translation>die Eingabe eines Prozesses</translation>
        </message>
        <message>
            <source>the description of entry '%1' is not possible</source>
            <translation>die Beschreibung von Eintrag '%1' ist nicht möglich</translation>
        </message>
        <message>
            <source>the hash of entry '%1' is cut short</source>
            <translation>die Prüfsumme von Eintrag '%1' ist abgeschnitten</translation>
        </message>
        <message>
            <source>the chunks of entry '%1' are not its own</source>
            <translation>die Stücke von Eintrag '%1' sind nicht seine eigenen</translation>
        </message>
        <message>
            <source>entry '%1' has %2 bytes, the target %3</source>
            <translation>Eintrag '%1' hat %2 Bytes, das Ziel %3</translation>
        </message>
        <message>
            <source>checkpoint entry '%1' says %2 bytes, given were %3</source>
            <translation>Eintrag '%1' des Checkpoints nennt %2 Bytes, gegeben wurden %3</translation>
        </message>
        <message>
            <source>the checkpoint has an entry '%1' already</source>
            <translation>der Checkpoint hat schon einen Eintrag '%1'</translation>
        </message>
        <message>
            <source>unknown use of a database</source>
            <translation>unbekannte Art, eine Datenbank zu benutzen</translation>
        </message>
        <message>
            <source>'%1' is not a plain file</source>
            <translation>'%1' ist keine gewöhnliche Datei</translation>
        </message>
        <message>
            <source>the copy did not end</source>
            <translation>die Kopie endete nicht</translation>
        </message>
        <message>
            <source>'%1' has schema version %2, this program knows 1 to %3; use a newer Batchwise</source>
            <translation>'%1' hat Schemaversion %2, dieses Programm kennt 1 bis %3; ein neueres Batchwise nehmen</translation>
        </message>
        <message>
            <source>the files are little endian</source>
            <translation>die Dateien sind little endian</translation>
        </message>
        <message>
            <source>stored metrics are cut short</source>
            <translation>gespeicherte Messwerte sind abgeschnitten</translation>
        </message>
        <message>
            <source>stored metrics fail their checksum</source>
            <translation>gespeicherte Messwerte haben eine falsche Prüfsumme</translation>
        </message>
        <message>
            <source>stored metrics have a layout that is not known</source>
            <translation>gespeicherte Messwerte haben einen unbekannten Aufbau</translation>
        </message>
        <message>
            <source>the metrics of run number %1 at position %2 fail their check</source>
            <translation>die Messwerte von Lauf Nummer %1 an Stelle %2 bestehen ihre Prüfung nicht</translation>
        </message>
        <message>
            <source>the run has no series '%1'%2</source>
            <translation>der Lauf hat keine Reihe '%1'{2}</translation>
        </message>
        <message>
            <source>extensions are off</source>
            <translation>Erweiterungen sind aus</translation>
        </message>
        <message>
            <source>SQLite did not take the checked file access</source>
            <translation>SQLite nahm den geprüften Dateizugriff nicht an</translation>
        </message>
        <message>
            <source>stored clocks are not readable: '%1'</source>
            <translation>gespeicherte Uhren sind nicht lesbar: '%1'</translation>
        </message>
        <message>
            <source>run '%1' has the unknown status '%2'</source>
            <translation>Lauf '%1' hat den unbekannten Zustand '%2'</translation>
        </message>
        <message>
            <source>%1Imported from an archive, where the id of this run is `%2`.</source>
            <translation>%1Aus einem Archiv eingelesen, in dem dieser Lauf die Kennung `%2` hat.</translation>
        </message>
        <message>
            <source>There was no database in '%1', a new one was made. It does not know the %2 in it: `batchwise store salvage NEW --from '%3'` makes a workspace that does.</source>
            <translation>In '%1' war keine Datenbank, eine neue wurde angelegt. Sie kennt nicht, was darin liegt (%2): `batchwise store salvage NEW --from '%3'` macht einen Arbeitsbereich, der es kennt.</translation>
        </message>
        <message>
            <source>The workspace lies on a network file system (%1): only this machine can open it.</source>
            <translation>Der Arbeitsbereich liegt auf einem Netzdateisystem (%1): nur dieser Rechner kann ihn öffnen.</translation>
        </message>
        <message>
            <source>a chart of %1 buckets was asked for; at least 1 is needed</source>
            <translation>ein Diagramm mit %1 Stücken wurde verlangt; mindestens 1 ist nötig</translation>
        </message>
        <message>
            <source>the sums of the running global batch</source>
            <translation>die Summen des laufenden globalen Batches</translation>
        </message>
        <message>
            <source>%1 is no JSON object</source>
            <translation>{1}: kein JSON-Objekt</translation>
        </message>
        <message>
            <source>%1 is no number</source>
            <translation>{1}: keine Zahl</translation>
        </message>
        <message>
            <source>the state of batch growth</source>
            <translation>der Zustand des Batchwachstums</translation>
        </message>
        <message>
            <source>asked_at of the state of batch growth is missing</source>
            <translation>asked_at des Zustands des Batchwachstums fehlt</translation>
        </message>
        <message>
            <source>a stretch that was passed over</source>
            <translation>ein übergangener Abschnitt</translation>
        </message>
        <message>
            <source>%1 of the guards is missing or no list</source>
            <translation>%1 der Wächter fehlt oder ist keine Liste</translation>
        </message>
        <message>
            <source>loss_spike of the guards holds an entry that is no step with its loss</source>
            <translation>loss_spike der Wächter enthält einen Eintrag, der kein Schritt mit Verlust ist</translation>
        </message>
        <message>
            <source>plateau of the guards holds an entry that is no loss</source>
            <translation>plateau der Wächter enthält einen Eintrag, der kein Verlust ist</translation>
        </message>
        <message>
            <source>a probe changed the weights</source>
            <translation>eine Probe hat die Gewichte verändert</translation>
        </message>
        <message>
            <source>this machine has no Slurm: %1 is not on PATH; submit from a login node of the cluster</source>
            <translation>dieser Rechner hat kein Slurm: %1 ist nicht im PATH; von einem Anmelderechner des Clusters aus starten</translation>
        </message>
        <message>
            <source>%1 has not answered for half a minute: the cluster's controller may be away</source>
            <translation>%1 antwortet seit einer halben Minute nicht: die Steuerung des Clusters ist vielleicht weg</translation>
        </message>
        <message>
            <source>sbatch named no job</source>
            <translation>sbatch nannte keinen Auftrag</translation>
        </message>
        <message>
            <source>it said nothing</source>
            <translation>es sagte nichts</translation>
        </message>
        <message>
            <source>%1 is %2; it takes %3 to 1000000</source>
            <translation>%1 ist %2; möglich sind %3 bis 1000000</translation>
        </message>
        <message>
            <source>--gpus-per-node is %1 and --ranks-per-node %2; each rank has one GPU, so give the same number</source>
            <translation>es sind %1 GPUs und %2 Prozesse auf jeder Maschine; jeder Prozess hat eine GPU, also dieselbe Zahl angeben</translation>
        </message>
        <message>
            <source>'%1' cannot stand in a batch script</source>
            <translation>'%1' darf in einem Auftragsskript nicht stehen</translation>
        </message>
        <message>
            <source>--sbatch takes an option of sbatch, as --sbatch=--exclusive, not '%1'</source>
            <translation>--sbatch nimmt eine Option von sbatch, wie --sbatch=--exclusive, nicht '%1'</translation>
        </message>
        <message>
            <source>this cluster has no default partition; name one with --partition: %1</source>
            <translation>dieser Cluster hat keine voreingestellte Partition; eine nennen: %1</translation>
        </message>
        <message>
            <source>there is no partition '%1'; the cluster has %2</source>
            <translation>es gibt keine Partition '%1'; der Cluster hat %2</translation>
        </message>
        <message>
            <source>%1 is %2, but partition %3 has %4</source>
            <translation>%1 ist %2, aber Partition %3 hat {4}</translation>
        </message>
        <message>
            <source>partition %1 is not up</source>
            <translation>Partition %1 ist nicht in Betrieb</translation>
        </message>
        <message>
            <source>#1 cores a node</source>
            <translation>%1 Kerne je Rechner</translation>
        </message>
        <message>
            <source>a limit of %1 minutes</source>
            <translation>eine Grenze von %1 Minuten</translation>
        </message>
        <message>
            <source>devices is '%1', but the job asks for GPUs; take auto or cuda, or leave --gpus-per-node out</source>
            <translation>devices ist '%1', aber der Auftrag verlangt GPUs; auto oder cuda nehmen, oder keine GPUs verlangen</translation>
        </message>
        <message>
            <source>devices is '%1', but the job asks for no GPUs; give --gpus-per-node, or take cpu</source>
            <translation>devices ist '%1', aber der Auftrag verlangt keine GPUs; GPUs verlangen, oder cpu nehmen</translation>
        </message>
        <message>
            <source>devices is '%1', but the job has %2 ranks, one device each; take cpu</source>
            <translation>devices ist '%1', aber der Auftrag hat %2 Prozesse mit je einem Gerät; cpu nehmen</translation>
        </message>
        <message>
            <source>%1 %2 does not lie on a network file system: every node must have the same at this path</source>
            <translation>{1} %2 liegt auf keinem Netzdateisystem: jeder Rechner muss unter diesem Pfad dasselbe haben</translation>
        </message>
        <message>
            <source>the program %1 is not there; build it, or name it in BATCHWISE_PROGRAM</source>
            <translation>das Programm %1 fehlt; es bauen, oder in BATCHWISE_PROGRAM nennen</translation>
        </message>
        <message>
            <source>the trainer %1 is not there; build it: ./packaging/run doctor</source>
            <translation>der Trainer %1 fehlt; ihn bauen: ./packaging/run doctor</translation>
        </message>
        <message>
            <source>the libraries in %1, which the trainer was built with, are not there; set BATCHWISE_DEPS and build again</source>
            <translation>die Bibliotheken in %1, mit denen der Trainer gebaut wurde, fehlen; BATCHWISE_DEPS setzen und neu bauen</translation>
        </message>
        <message>
            <source>the program in</source>
            <translation>das Programm in</translation>
        </message>
        <message>
            <source>what the trainer was built with, in</source>
            <translation>womit der Trainer gebaut wurde, in</translation>
        </message>
        <message>
            <source>the workspace</source>
            <translation>der Arbeitsbereich</translation>
        </message>
        <message>
            <source>run %1 has no journal: only a run that was submitted before can be submitted again</source>
            <translation>Lauf %1 hat kein Journal: nur ein Lauf, der schon einmal übergeben wurde, kann noch einmal übergeben werden</translation>
        </message>
        <message>
            <source>%1, or %2</source>
            <translation>{1}, oder %2</translation>
        </message>
        <message>
            <source>100ba or %1</source>
            <translation>100ba oder {1}</translation>
        </message>
        <message>
            <source>0.1dur or %1</source>
            <translation>0.1dur oder {1}</translation>
        </message>
        <message>
            <source>a whole number of %1</source>
            <translation>eine ganze Zahl ({1})</translation>
        </message>
        <message>
            <source>a number of %1</source>
            <translation>eine Zahl ({1})</translation>
        </message>
        <message>
            <source>a whole number per step</source>
            <translation>eine ganze Zahl je Schritt</translation>
        </message>
        <message>
            <source>a number per step</source>
            <translation>eine Zahl je Schritt</translation>
        </message>
        <message>
            <source>evaluations</source>
            <translation>Auswertungen</translation>
        </message>
        <message>
            <source>checkpoints</source>
            <translation>Checkpoints</translation>
        </message>
        <message>
            <source>features</source>
            <translation>Merkmale</translation>
        </message>
        <message>
            <source>global batches</source>
            <translation>globale Batches</translation>
        </message>
        <message>
            <source>heads</source>
            <translation>Köpfe</translation>
        </message>
        <message>
            <source>layers</source>
            <translation>Schichten</translation>
        </message>
        <message>
            <source>medians</source>
            <translation>Mediane</translation>
        </message>
        <message>
            <source>nats</source>
            <translation>Nats</translation>
        </message>
        <message>
            <source>pieces</source>
            <translation>Stücke</translation>
        </message>
        <message>
            <source>samples</source>
            <translation>Beispiele</translation>
        </message>
        <message>
            <source>seconds</source>
            <translation>Sekunden</translation>
        </message>
        <message>
            <source>sequences</source>
            <translation>Sequenzen</translation>
        </message>
        <message>
            <source>standard deviations</source>
            <translation>Standardabweichungen</translation>
        </message>
        <message>
            <source>steps</source>
            <translation>Schritte</translation>
        </message>
        <message>
            <source>threads</source>
            <translation>Threads</translation>
        </message>
        <message>
            <source>times</source>
            <translation>Male</translation>
        </message>
        <message>
            <source>tokens</source>
            <translation>Tokens</translation>
        </message>
        <message>
            <source>%1 has ended%2, and this rank waits for it%3</source>
            <translation>%1 ist zu Ende%2, und dieser Prozess wartet auf ihn%3</translation>
        </message>
        <message>
            <source>rank 0 at %1:%2 has not answered rank %3: its machine is too busy, or another program listens there</source>
            <translation>Prozess 0 unter %1:%2 hat Prozess %3 nicht geantwortet: sein Rechner ist zu beschäftigt, oder ein anderes Programm lauscht dort</translation>
        </message>
        <message>
            <source>%1 was lost%2: it took nothing of what was sent to it for 10 s, or its connection broke</source>
            <translation>%1 ging verloren%2: er nahm 10 s lang nichts von dem an, was ihm gesendet wurde, oder die Verbindung riss</translation>
        </message>
        <message>
            <source>rank 0 at %1:%2 does not let rank %3 in: it has this rank already</source>
            <translation>Prozess 0 unter %1:%2 lässt Prozess %3 nicht ein: er hat diesen Prozess schon</translation>
        </message>
        <message>
            <source>rank 0 could not open a port for the other ranks</source>
            <translation>Prozess 0 konnte keinen Port für die anderen Prozesse öffnen</translation>
        </message>
        <message>
            <source>libcrypto makes no X25519 key</source>
            <translation>libcrypto erzeugt keinen X25519-Schlüssel</translation>
        </message>
        <message>
            <source>a secret is too long to be sent</source>
            <translation>ein Geheimnis ist zu lang zum Senden</translation>
        </message>
        <message>
            <source>another rank sent no usable public key</source>
            <translation>ein anderer Prozess hat keinen brauchbaren öffentlichen Schlüssel gesendet</translation>
        </message>
        <message>
            <source>rank 0 did not send one text for each rank</source>
            <translation>Prozess 0 hat nicht für jeden Prozess einen Text gesendet</translation>
        </message>
        <message>
            <source>the program at %1:%2 cannot prove that it is rank 0 of this run, so rank %3 has told it nothing; end it, or choose another port with MASTER_PORT</source>
            <translation>das Programm unter %1:%2 kann nicht beweisen, dass es Prozess 0 dieses Laufs ist; Prozess %3 hat ihm darum nichts mitgeteilt; beenden Sie es, oder wählen Sie mit MASTER_PORT einen anderen Port</translation>
        </message>
        <message>
            <source>port %1, where the other ranks look for rank 0, is in use by another program or run; end that one, or choose another port with MASTER_PORT</source>
            <translation>Port %1, unter dem die anderen Prozesse den Prozess 0 suchen, wird von einem anderen Programm oder Lauf benutzt; beenden Sie dieses, oder wählen Sie mit MASTER_PORT einen anderen Port</translation>
        </message>
        <message>
            <source>others can write or read '%1'; remove it and start again</source>
            <translation>andere können „%1“ schreiben oder lesen; entfernen Sie die Datei und starten Sie neu</translation>
        </message>
        <message>
            <source>the secret of the ranks; or set %1 to the same random text for all ranks: %2</source>
            <translation>das Geheimnis der Prozesse; oder %1 für alle Prozesse auf denselben zufälligen Text setzen: {2}</translation>
        </message>
        <message>
            <source>run %1 has begun and has a checkpoint; resume it</source>
            <translation>Lauf %1 hat begonnen und hat einen Checkpoint; ihn fortsetzen</translation>
        </message>
        <message>
            <source>in a Slurm job a run goes on from its newest checkpoint; fork it, or name another one, on this machine</source>
            <translation>in einem Slurm-Auftrag geht ein Lauf von seinem neuesten Checkpoint weiter; ihn abzweigen oder einen anderen nennen geht auf diesem Rechner</translation>
        </message>
        <message>
            <source>run %1 is in the queue already, as job %2</source>
            <translation>Lauf %1 ist schon in der Warteschlange, als Auftrag %2</translation>
        </message>
        <message>
            <source>job: %1</source>
            <translation>Auftrag: %1</translation>
        </message>
        <message>
            <source>interval</source>
            <translation>Abstand</translation>
        </message>
        <message>
            <source>end</source>
            <translation>Ende</translation>
        </message>
        <message>
            <source>stop</source>
            <translation>Anhalten</translation>
        </message>
        <message>
            <source>time limit</source>
            <translation>Zeitgrenze</translation>
        </message>
        <message>
            <source>guard</source>
            <translation>Wächter</translation>
        </message>
        <message>
            <source>start</source>
            <translation>Start</translation>
        </message>
        <message>
            <source>stored value %1: '%2' is not a count of an epoch</source>
            <translation>gespeicherter Wert %1: '%2' ist keine Anzahl einer Epoche</translation>
        </message>
        <message>
            <source>stored value %1: '%2' is not a batch size</source>
            <translation>gespeicherter Wert %1: '%2' ist keine Batchgröße</translation>
        </message>
        <message>
            <source>stored value %1: '%2' is not above 0</source>
            <translation>gespeicherter Wert %1: '%2' ist nicht größer als 0</translation>
        </message>
        <message>
            <source>stored value %1: '%2' cannot be read, or does not follow the one before</source>
            <translation>gespeicherter Wert %1: '%2' ist nicht lesbar oder folgt nicht auf den davor</translation>
        </message>
        <message>
            <source>stored value %1: there are not as many as sizes</source>
            <translation>gespeicherter Wert %1: es sind nicht so viele wie Größen</translation>
        </message>
        <message>
            <source>clock '%1' is missing</source>
            <translation>Uhr '%1' fehlt</translation>
        </message>
        <message>
            <source>clock '%1' is no integer</source>
            <translation>Uhr '%1' ist keine ganze Zahl</translation>
        </message>
        <message>
            <source>clock '%1' is no number</source>
            <translation>Uhr '%1' ist keine Zahl</translation>
        </message>
        <message>
            <source>clock '%1' is out of range</source>
            <translation>Uhr '%1' liegt außerhalb des Möglichen</translation>
        </message>
        <message>
            <source>the name of a run is empty; give it at least one character that is no blank</source>
            <translation>der Name eines Laufs ist leer; ihm mindestens ein Zeichen geben, das kein Leerzeichen ist</translation>
        </message>
        <message>
            <source>the state of the run holds a count below the least possible</source>
            <translation>der Zustand des Laufs enthält eine Anzahl unter der kleinstmöglichen</translation>
        </message>
        <message>
            <source>the state of the run cuts a pack into %1 passes</source>
            <translation>der Zustand des Laufs zerteilt ein Paket in %1 Durchgänge</translation>
        </message>
        <message>
            <source>out of memory beside a checkpoint that was on its way to the host: the step is done again</source>
            <translation>Speicher voll neben einem Checkpoint, der noch auf dem Weg in den Hauptspeicher war: der Schritt wird wiederholt</translation>
        </message>
        <message>
            <source>out of memory: a pack is computed in %1 passes, the global batch stays as it is</source>
            <translation>Speicher voll: ein Paket wird in %1 Durchgängen gerechnet, der globale Batch bleibt, wie er ist</translation>
        </message>
        <message>
            <source>training goes on again</source>
            <translation>das Training geht wieder weiter</translation>
        </message>
        <message>
            <source>the clocks are missing</source>
            <translation>die Uhren fehlen</translation>
        </message>
        <message>
            <source>the state of batch growth holds a negative count</source>
            <translation>der Zustand des Batchwachstums enthält eine negative Anzahl</translation>
        </message>
        <message>
            <source>run '%1' has trained nothing yet, so there is no speed to go by</source>
            <translation>der Lauf '%1' hat noch nichts trainiert, also gibt es keine Geschwindigkeit, nach der man gehen kann</translation>
        </message>
        <message>
            <source>stored value %1: is below 0</source>
            <translation>gespeicherter Wert %1: liegt unter 0</translation>
        </message>
        <message>
            <source>run %1 was not submitted by `batchwise submit`; resume it where it was begun, or fork it</source>
            <translation>der Lauf %1 wurde nicht von Batchwise an Slurm abgeschickt; ihn dort fortsetzen, wo er begonnen wurde, oder abzweigen</translation>
        </message>
        <message>
            <source>only an entry whose run has not begun can be given back</source>
            <translation>nur ein Eintrag, dessen Lauf noch nicht begonnen hat, kann zurückgegeben werden</translation>
        </message>
        <message>
            <source>Compared at %1, the largest that all %2 runs reach: %3 ends there.</source>
            <translation>Verglichen an der Stelle {1}, der größten, die alle %2 Läufe erreichen: %3 endet dort.</translation>
        </message>
        <message>
            <source>Compared at %1, where every run ends.</source>
            <translation>Verglichen an der Stelle {1}, wo jeder Lauf endet.</translation>
        </message>
        <message>
            <source>Values at %1, where the run ends.</source>
            <translation>Werte an der Stelle {1}, wo der Lauf endet.</translation>
        </message>
        <message>
            <source>%1 of training</source>
            <translation>%1 Training</translation>
        </message>
        <message>
            <source>There is nothing to compare: no run has values of %1.</source>
            <translation>Es gibt nichts zu vergleichen: kein Lauf hat Werte von %1.</translation>
        </message>
        <message>
            <source>%1 has no values of %2</source>
            <translation>%1 hat keine Werte von %2</translation>
        </message>
        <message>
            <source>the configuration of %1 cannot be read and is not compared</source>
            <translation>die Konfiguration von %1 ist nicht lesbar und wird nicht verglichen</translation>
        </message>
        <message>
            <source>%1 is read as 20,000 stretches with their extremes; its averages and exported points follow those</source>
            <translation>%1 wird in 20.000 Abschnitten mit ihren Extremwerten gelesen; seine Mittel und ausgegebenen Punkte folgen diesen</translation>
        </message>
        <message>
            <source>#1 of #2 fields differ</source>
            <translation>%1 von %2 Feldern verschieden</translation>
        </message>
        <message>
            <source>#1 of #2 fields differs</source>
            <translation>%1 von %2 Feldern verschieden</translation>
        </message>
        <message>
            <source>#1 tokens</source>
            <translation>%1 Tokens</translation>
        </message>
        <message>
            <source>#1 samples</source>
            <translation>%1 Beispiele</translation>
        </message>
        <message>
            <source>#1 steps</source>
            <translation>%1 Schritte</translation>
        </message>
        <message>
            <source>a tensor of %1 bytes would take host tensors to %2 bytes; the limit is %3</source>
            <translation>ein Tensor von %1 Bytes brächte die Tensoren im Hauptspeicher auf %2 Bytes; die Grenze ist %3</translation>
        </message>
        <message>
            <source>there is no field '%1'</source>
            <translation>es gibt kein Feld '%1'</translation>
        </message>
        <message>
            <source>there is no field '%1'; did you mean '%2'?</source>
            <translation>es gibt kein Feld '%1'; gemeint war vielleicht '%2'</translation>
        </message>
        <message>
            <source>'%1' needs a day here, as 2026-11-21, not '%2'</source>
            <translation>'%1' verlangt hier einen Tag wie 2026-11-21, nicht '%2'</translation>
        </message>
        <message>
            <source>'%1' needs a number or a time with a unit, not '%2'</source>
            <translation>'%1' verlangt eine Zahl oder eine Zeit mit Einheit, nicht '%2'</translation>
        </message>
        <message>
            <source>there is no status '%1'; there are created, running, paused, finished, stopped, failed, interrupted</source>
            <translation>es gibt keinen Zustand '%1'; es gibt created, running, paused, finished, stopped, failed, interrupted</translation>
        </message>
        <message>
            <source>'%1' is too much here</source>
            <translation>'%1' ist hier zu viel</translation>
        </message>
        <message>
            <source>this is nested too deeply; at most 100 levels</source>
            <translation>das ist zu tief geschachtelt; höchstens 100 Ebenen</translation>
        </message>
        <message>
            <source>a condition is expected, found '%1'</source>
            <translation>eine Bedingung wird erwartet, hier steht '%1'</translation>
        </message>
        <message>
            <source>the parenthesis that opens here is not closed</source>
            <translation>die Klammer, die hier aufgeht, wird nicht geschlossen</translation>
        </message>
        <message>
            <source>a value is expected after '%1', found '%2'</source>
            <translation>nach '%1' wird ein Wert erwartet, hier steht '%2'</translation>
        </message>
        <message>
            <source>a list in parentheses is expected after 'in', as (1, 2)</source>
            <translation>nach 'in' wird eine Liste in Klammern erwartet, wie (1, 2)</translation>
        </message>
        <message>
            <source>a comma or ')' is expected, found '%1'</source>
            <translation>ein Komma oder ')' wird erwartet, hier steht '%1'</translation>
        </message>
        <message>
            <source>a filter of %1 bytes is too long; at most 10,000</source>
            <translation>ein Filter von %1 Bytes ist zu lang; höchstens 10.000</translation>
        </message>
        <message>
            <source>the quote that begins here is not closed</source>
            <translation>das Anführungszeichen, das hier beginnt, wird nicht geschlossen</translation>
        </message>
        <message>
            <source>'%1' means nothing here; write and, or, not, or put the text in quotes</source>
            <translation>'%1' bedeutet hier nichts; and, or, not schreiben oder den Text in Anführungszeichen setzen</translation>
        </message>
        <message>
            <source>there is no field '%1' to group by</source>
            <translation>es gibt kein Feld '%1', nach dem gruppiert werden könnte</translation>
        </message>
        <message>
            <source>there is no field '%1' to group by; did you mean '%2'?</source>
            <translation>es gibt kein Feld '%1', nach dem gruppiert werden könnte; gemeint war vielleicht '%2'</translation>
        </message>
        <message>
            <source>there is no run to compare; name at least one</source>
            <translation>kein Lauf ist zu vergleichen; mindestens einen nennen</translation>
        </message>
        <message>
            <source>a smoothing of %1 was asked for; it is at least 0 and below 1</source>
            <translation>eine Glättung von %1 ist verlangt; sie ist mindestens 0 und kleiner als 1</translation>
        </message>
        <message>
            <source>a part of the run has %1 bytes; an archive takes at most %2</source>
            <translation>ein Teil des Laufs hat %1 Bytes; ein Archiv fasst höchstens %2</translation>
        </message>
        <message>
            <source>'%1' is no file</source>
            <translation>'%1' ist keine Datei</translation>
        </message>
        <message>
            <source>'%1' is not an archive of a run</source>
            <translation>'%1' ist kein Archiv eines Laufs</translation>
        </message>
        <message>
            <source>archive '%1' is damaged: %2</source>
            <translation>Archiv '%1' ist beschädigt: {2}</translation>
        </message>
        <message>
            <source>its header fails its check</source>
            <translation>die Prüfsumme des Kopfs stimmt nicht</translation>
        </message>
        <message>
            <source>archive '%1' has format %2, this program knows up to %3; use a newer Batchwise</source>
            <translation>Archiv '%1' hat das Format %2, dieses Programm kennt sie bis %3; ein neueres Batchwise verwenden</translation>
        </message>
        <message>
            <source>it is cut short</source>
            <translation>es ist abgeschnitten</translation>
        </message>
        <message>
            <source>record %1 is of no known kind, or too large for it</source>
            <translation>Satz %1 ist von unbekannter Art oder zu groß dafür</translation>
        </message>
        <message>
            <source>record %1 fails its hash</source>
            <translation>die Prüfsumme von Satz %1 stimmt nicht</translation>
        </message>
        <message>
            <source>its seal does not match its records</source>
            <translation>das Siegel passt nicht zu den Sätzen</translation>
        </message>
        <message>
            <source>something follows its end</source>
            <translation>nach dem Ende folgt noch etwas</translation>
        </message>
        <message>
            <source>%1 is not where it belongs</source>
            <translation>{1} steht nicht an seinem Platz</translation>
        </message>
        <message>
            <source>the description of the run</source>
            <translation>die Beschreibung des Laufs</translation>
        </message>
        <message>
            <source>a checkpoint is of a segment that is not there</source>
            <translation>ein Checkpoint gehört zu einem Abschnitt, den es nicht gibt</translation>
        </message>
        <message>
            <source>the size of checkpoint %1 is not possible</source>
            <translation>die Größe von Checkpoint %1 ist nicht möglich</translation>
        </message>
        <message>
            <source>the data of a checkpoint</source>
            <translation>die Daten eines Checkpoints</translation>
        </message>
        <message>
            <source>a checkpoint has another size than it says</source>
            <translation>ein Checkpoint hat eine andere Größe als angegeben</translation>
        </message>
        <message>
            <source>the list of series</source>
            <translation>die Liste der Reihen</translation>
        </message>
        <message>
            <source>metrics are of a segment that is not there</source>
            <translation>Messwerte gehören zu einem Abschnitt, den es nicht gibt</translation>
        </message>
        <message>
            <source>its metrics are not in order</source>
            <translation>die Messwerte stehen nicht in der richtigen Reihenfolge</translation>
        </message>
        <message>
            <source>a row of metrics names a series that does not belong there</source>
            <translation>eine Zeile der Messwerte nennt eine Reihe, die nicht dorthin gehört</translation>
        </message>
        <message>
            <source>a row of metrics is empty</source>
            <translation>eine Zeile der Messwerte ist leer</translation>
        </message>
        <message>
            <source>an event is of a segment that is not there</source>
            <translation>ein Ereignis gehört zu einem Abschnitt, den es nicht gibt</translation>
        </message>
        <message>
            <source>%1 has the number %2</source>
            <translation>{1} hat die Nummer %2</translation>
        </message>
        <message>
            <source>was %1 when it was archived</source>
            <translation>war %1, als das Archiv entstand</translation>
        </message>
        <message>
            <source>a tag is not possible</source>
            <translation>ein Schlagwort ist nicht möglich</translation>
        </message>
        <message>
            <source>a resolved value is not possible</source>
            <translation>ein aufgelöster Wert ist nicht möglich</translation>
        </message>
        <message>
            <source>the name of a reference is too long</source>
            <translation>der Name eines Bezugs ist zu lang</translation>
        </message>
        <message>
            <source>the names of the series are no list, or too many</source>
            <translation>die Namen der Reihen sind keine Liste oder zu viele</translation>
        </message>
        <message>
            <source>the name of series %1 is not possible</source>
            <translation>der Name von Reihe %1 ist nicht möglich</translation>
        </message>
        <message>
            <source>the events are no list</source>
            <translation>die Ereignisse sind keine Liste</translation>
        </message>
        <message>
            <source>metrics and progress are no stored events</source>
            <translation>Messwerte und Fortschritt sind keine gespeicherten Ereignisse</translation>
        </message>
        <message>
            <source>a row of metrics is cut short</source>
            <translation>eine Zeile der Messwerte ist abgeschnitten</translation>
        </message>
        <message>
            <source>two different tensors both mean "%1"</source>
            <translation>zwei verschiedene Tensoren bedeuten beide "%1"</translation>
        </message>
        <message>
            <source>config.json ties the decoder to the word embeddings, but the file has different ones: set tie_word_embeddings to false there</source>
            <translation>config.json bindet den Dekoder an die Worteinbettungen, aber die Datei hat verschiedene: dort tie_word_embeddings auf false setzen</translation>
        </message>
        <message>
            <source>a whole number above 0</source>
            <translation>eine ganze Zahl über 0</translation>
        </message>
        <message>
            <source>config.json has no "%1"</source>
            <translation>config.json enthält kein "%1"</translation>
        </message>
        <message>
            <source>"%1" of config.json is %2, not %3</source>
            <translation>"%1" in config.json ist %2, nicht {3}</translation>
        </message>
        <message>
            <source>config.json holds no JSON object</source>
            <translation>config.json enthält kein JSON-Objekt</translation>
        </message>
        <message>
            <source>config.json describes a model of type "%1"; only bert can be read</source>
            <translation>config.json beschreibt ein Modell der Art "%1"; nur bert ist lesbar</translation>
        </message>
        <message>
            <source>config.json asks for "%1" positions; only absolute ones can be read</source>
            <translation>config.json verlangt Positionen der Art "%1"; nur absolute sind lesbar</translation>
        </message>
        <message>
            <source>"norm" of config.json is "%1", not post or pre</source>
            <translation>"norm" in config.json ist "%1", nicht post oder pre</translation>
        </message>
        <message>
            <source>hidden_size of config.json is not divisible by num_attention_heads</source>
            <translation>hidden_size in config.json ist nicht durch num_attention_heads teilbar</translation>
        </message>
        <message>
            <source>the archive needs %1, '%2' has %3 free; free some space first</source>
            <translation>das Archiv braucht %1, in '%2' sind %3 frei; zuerst Platz schaffen</translation>
        </message>
        <message>
            <source>it was changed while it was read</source>
            <translation>es wurde verändert, während es gelesen wurde</translation>
        </message>
        <message>
            <source>model.preset "%1" is unknown: use tiny, mini, small, base or large</source>
            <translation>model.preset "%1" ist unbekannt: tiny, mini, small, base oder large verwenden</translation>
        </message>
        <message>
            <source>model.preset "%1" is unknown: use tiny, mini, small, base or large (did you mean %2?)</source>
            <translation>model.preset "%1" ist unbekannt: tiny, mini, small, base oder large verwenden (gemeint war vielleicht %2)</translation>
        </message>
        <message>
            <source>model.%1 is %2: use 0 or more, and less than 1</source>
            <translation>model.%1 ist %2: mindestens 0 und weniger als 1 verwenden</translation>
        </message>
        <message>
            <source>model.hidden_size is %1: at most 16384 is possible</source>
            <translation>model.hidden_size ist %1: höchstens 16384 ist möglich</translation>
        </message>
        <message>
            <source>model.hidden_size %1 is not divisible by num_attention_heads %2</source>
            <translation>model.hidden_size %1 ist nicht durch num_attention_heads %2 teilbar</translation>
        </message>
        <message>
            <source>model.max_position_embeddings is %1, fewer than data.max_seq_len %2: raise one or lower the other</source>
            <translation>model.max_position_embeddings ist %1, weniger als data.max_seq_len %2: das eine erhöhen oder das andere senken</translation>
        </message>
        <message>
            <source>model.initializer_range and model.layer_norm_eps must be above 0, model.attention_logit_l2 not below 0</source>
            <translation>model.initializer_range und model.layer_norm_eps müssen über 0 liegen, model.attention_logit_l2 nicht unter 0</translation>
        </message>
        <message>
            <source>model.norm "%1" is unknown: use post or pre</source>
            <translation>model.norm "%1" ist unbekannt: post oder pre verwenden</translation>
        </message>
        <message>
            <source>model.%1 is %2, but model.init_from has %3: leave it out to take the folder's</source>
            <translation>model.%1 ist %2, aber model.init_from hat %3: weglassen, um den Wert des Ordners zu nehmen</translation>
        </message>
        <message>
            <source>the vocabulary has %1 tokens, %2 fewer than the weights of model.init_from (%3); set tokenizer.path to the vocab.txt that came with these weights, unchanged</source>
            <translation>das Vokabular hat %1 Token, %2 weniger als die Gewichte von model.init_from (%3); tokenizer.path auf die unveränderte vocab.txt setzen, die zu diesen Gewichten gehört</translation>
        </message>
        <message>
            <source>the vocabulary has %1 tokens, %2 more than the weights of model.init_from (%3); set tokenizer.path to the vocab.txt that came with these weights, unchanged</source>
            <translation>das Vokabular hat %1 Token, %2 mehr als die Gewichte von model.init_from (%3); tokenizer.path auf die unveränderte vocab.txt setzen, die zu diesen Gewichten gehört</translation>
        </message>
        <message>
            <source>hidden_act "%1" is unknown: use gelu, gelu_new or relu</source>
            <translation>hidden_act "%1" ist unbekannt: gelu, gelu_new oder relu verwenden</translation>
        </message>
        <message>
            <source>'%1' became shorter while it was read</source>
            <translation>'%1' wurde kürzer, während es gelesen wurde</translation>
        </message>
        <message>
            <source>run %1 has no checkpoint '%2'</source>
            <translation>Lauf %1 hat keinen Checkpoint '%2'</translation>
        </message>
        <message>
            <source>'%1' names no checkpoint; use latest, all, none, or ids with commas</source>
            <translation>'%1' nennt keinen Checkpoint; latest, all, none oder Kennungen mit Kommas verwenden</translation>
        </message>
        <message>
            <source>no valid safetensors file: %1</source>
            <translation>keine gültige safetensors-Datei: {1}</translation>
        </message>
        <message>
            <source>tensor "%1" has no dtype</source>
            <translation>Tensor "%1" hat kein dtype</translation>
        </message>
        <message>
            <source>tensor "%1" is of dtype %2: F64, F32, F16, BF16 and I64 can be read</source>
            <translation>Tensor "%1" hat das dtype %2: F64, F32, F16, BF16 und I64 sind lesbar</translation>
        </message>
        <message>
            <source>tensor "%1" must have exactly dtype, shape and data_offsets</source>
            <translation>Tensor "%1" muss genau dtype, shape und data_offsets haben</translation>
        </message>
        <message>
            <source>the shape of tensor "%1" is no list of at most 16 sizes</source>
            <translation>die Form von Tensor "%1" ist keine Liste von höchstens 16 Größen</translation>
        </message>
        <message>
            <source>the shape of tensor "%1" holds %2</source>
            <translation>die Form von Tensor "%1" enthält %2</translation>
        </message>
        <message>
            <source>tensor "%1" needs two data_offsets</source>
            <translation>Tensor "%1" braucht zwei data_offsets</translation>
        </message>
        <message>
            <source>the data_offsets of tensor "%1" are no range</source>
            <translation>die data_offsets von Tensor "%1" sind kein Bereich</translation>
        </message>
        <message>
            <source>tensor "%1" takes %2 bytes, which is not what its shape and dtype need</source>
            <translation>Tensor "%1" belegt %2 Bytes; Form und dtype brauchen anders viele</translation>
        </message>
        <message>
            <source>__metadata__ is no object</source>
            <translation>__metadata__ ist kein Objekt</translation>
        </message>
        <message>
            <source>__metadata__ "%1" is no text</source>
            <translation>__metadata__ "%1" ist kein Text</translation>
        </message>
        <message>
            <source>tensor "%1" begins at byte %2 of the data, where byte %3 is due</source>
            <translation>Tensor "%1" beginnt bei Byte %2 der Daten, wo Byte %3 folgen müsste</translation>
        </message>
        <message>
            <source>tensor "%1" ends beyond the file: it is cut off or damaged</source>
            <translation>Tensor "%1" endet hinter der Datei: sie ist abgeschnitten oder beschädigt</translation>
        </message>
        <message>
            <source>%1 bytes at its end belong to no tensor</source>
            <translation>%1 Bytes am Ende gehören zu keinem Tensor</translation>
        </message>
        <message>
            <source>it has %1 bytes, fewer than the length of a header</source>
            <translation>sie hat %1 Bytes, weniger als die Länge eines Kopfs</translation>
        </message>
        <message>
            <source>its header would take %1 bytes; 100 MB is the most</source>
            <translation>der Kopf würde %1 Bytes belegen; 100 MB sind das Höchste</translation>
        </message>
        <message>
            <source>its header ends beyond the file: it is cut off or damaged</source>
            <translation>der Kopf endet hinter der Datei: sie ist abgeschnitten oder beschädigt</translation>
        </message>
        <message>
            <source>its header does not begin with {</source>
            <translation>der Kopf beginnt nicht mit {</translation>
        </message>
        <message>
            <source>tensor "%1" is in two files</source>
            <translation>Tensor "%1" steht in zwei Dateien</translation>
        </message>
        <message>
            <source>the index has no weight_map</source>
            <translation>das Verzeichnis hat keine weight_map</translation>
        </message>
        <message>
            <source>the index puts tensor "%1" into %2, which is no file name in its folder</source>
            <translation>das Verzeichnis legt Tensor "%1" in %2, und das ist kein Dateiname in seinem Ordner</translation>
        </message>
        <message>
            <source>number %1 of tensor "%2" is not finite in fp32</source>
            <translation>Zahl %1 von Tensor "%2" ist in fp32 nicht endlich</translation>
        </message>
        <message>
            <source>tensor "%1" cannot be written: its bytes do not fit its shape, or it is there twice</source>
            <translation>Tensor "%1" kann nicht geschrieben werden: Seine Bytes passen nicht zu seiner Form, oder es gibt ihn zweimal</translation>
        </message>
        <message>
            <source>it has more than %1 bytes</source>
            <translation>es hat mehr als %1 Bytes</translation>
        </message>
        <message>
            <source>it holds more than %1 values</source>
            <translation>es enthält mehr als %1 Werte</translation>
        </message>
        <message>
            <source>it is nested more than %1 deep</source>
            <translation>es ist mehr als %1 Ebenen tief geschachtelt</translation>
        </message>
        <message>
            <source>the name "%1" is there twice</source>
            <translation>den Namen "%1" gibt es zweimal</translation>
        </message>
        <message>
            <source>the JSON holds a zero byte</source>
            <translation>das JSON enthält ein Nullbyte</translation>
        </message>
        <message>
            <source>the JSON is not allowed: %1</source>
            <translation>das JSON ist nicht erlaubt: {1}</translation>
        </message>
        <message>
            <source>the JSON cannot be read: %1</source>
            <translation>das JSON ist nicht lesbar: {1}</translation>
        </message>
        <message>
            <source>'%1' is damaged from byte %2 on; what follows is not taken in</source>
            <translation>'%1' ist ab Byte %2 beschädigt; was folgt, wird nicht übernommen</translation>
        </message>
        <message>
            <source>record %1 of '%2' is not an object</source>
            <translation>Eintrag %1 von '%2' ist kein Objekt</translation>
        </message>
        <message>
            <source>run</source>
            <translation>Lauf</translation>
        </message>
        <message>
            <source>runs</source>
            <translation>Läufe</translation>
        </message>
        <message>
            <source>group</source>
            <translation>Gruppe</translation>
        </message>
        <message>
            <source>baseline</source>
            <translation>Basis</translation>
        </message>
        <message>
            <source>vs baseline</source>
            <translation>zur Basis</translation>
        </message>
        <message>
            <source>field</source>
            <translation>Feld</translation>
        </message>
        <message>
            <source>same</source>
            <translation>gleich</translation>
        </message>
        <message>
            <source>better</source>
            <translation>besser</translation>
        </message>
        <message>
            <source>worse</source>
            <translation>schlechter</translation>
        </message>
        <message>
            <source>within noise</source>
            <translation>im Rauschen</translation>
        </message>
        <message>
            <source>time</source>
            <translation>Zeit</translation>
        </message>
        <message>
            <source>training time</source>
            <translation>Trainingszeit</translation>
        </message>
        <message>
            <source>tokens (tok)</source>
            <translation>Tokens (tok)</translation>
        </message>
        <message>
            <source>mean speed (tok/s)</source>
            <translation>mittlere Geschwindigkeit (tok/s)</translation>
        </message>
        <message>
            <source>peak memory (GiB)</source>
            <translation>Speicherspitze (GiB)</translation>
        </message>
        <message>
            <source>%1 at equal time</source>
            <translation>%1 bei gleicher Zeit</translation>
        </message>
        <message>
            <source>%1 at equal tokens</source>
            <translation>%1 bei gleichen Tokens</translation>
        </message>
        <message>
            <source>%1 at equal time (%2)</source>
            <translation>%1 bei gleicher Zeit (%2)</translation>
        </message>
        <message>
            <source>%1 at equal tokens (%2)</source>
            <translation>%1 bei gleichen Tokens (%2)</translation>
        </message>
        <message>
            <source>%1 at #2 tokens</source>
            <translation>%1 bei %2 Tokens</translation>
        </message>
        <message>
            <source>%1 at #2 samples</source>
            <translation>%1 bei %2 Beispielen</translation>
        </message>
        <message>
            <source>%1 at #2 steps</source>
            <translation>%1 bei %2 Schritten</translation>
        </message>
        <message>
            <source>host syncs per step: %1 (%2 in %3 steps)</source>
            <translation>Warten auf das Gerät je Schritt: %1 (%2 in %3 Schritten)</translation>
        </message>
        <message>
            <source>%1 at %2 of training</source>
            <translation>%1 bei %2 Training</translation>
        </message>
        <message>
            <source>%1 is taken at %2, the largest that all runs with values of it reach.</source>
            <translation>{1} gilt an der Stelle {2}, der größten, die alle Läufe mit Werten davon erreichen.</translation>
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
            <source>std</source>
            <translation>Std.</translation>
        </message>
        <message>
            <source>stderr</source>
            <translation>Std.-Fehler</translation>
        </message>
        <message>
            <source>95%</source>
            <translation>95 %</translation>
        </message>
        <message>
            <source>smoothed #1</source>
            <translation>geglättet %1</translation>
        </message>
        <message>
            <source>Comparison of #1 runs: %2</source>
            <translation>Vergleich von %1 Läufen: %2</translation>
        </message>
        <message>
            <source>Values</source>
            <translation>Werte</translation>
        </message>
        <message>
            <source>Configuration</source>
            <translation>Konfiguration</translation>
        </message>
        <message>
            <source>Runs</source>
            <translation>Läufe</translation>
        </message>
        <message>
            <source>How this was made</source>
            <translation>Wie dies entstand</translation>
        </message>
        <message>
            <source>id</source>
            <translation>Kennung</translation>
        </message>
        <message>
            <source>state</source>
            <translation>Zustand</translation>
        </message>
        <message>
            <source>tags</source>
            <translation>Schlagwörter</translation>
        </message>
        <message>
            <source>note</source>
            <translation>Notiz</translation>
        </message>
        <message>
            <source>created</source>
            <translation>angelegt</translation>
        </message>
        <message>
            <source>running</source>
            <translation>läuft</translation>
        </message>
        <message>
            <source>finished</source>
            <translation>fertig</translation>
        </message>
        <message>
            <source>stopped</source>
            <translation>angehalten</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>gescheitert</translation>
        </message>
        <message>
            <source>interrupted</source>
            <translation>unterbrochen</translation>
        </message>
        <message>
            <source>Runs that differ by seed only give the noise band: a difference within it (95 %, Student's t over the pooled deviation of the seeds) is called within noise.</source>
            <translation>Läufe, die sich nur im Startwert unterscheiden, geben das Rauschband: Ein Unterschied innerhalb davon (95 %, Students t über die gemeinsame Abweichung der Startwerte) heißt „im Rauschen“.</translation>
        </message>
        <message>
            <source>No two runs differ by seed only, so it is not known how much of a difference is noise.</source>
            <translation>Keine zwei Läufe unterscheiden sich nur im Startwert; wie viel eines Unterschieds Rauschen ist, ist darum nicht bekannt.</translation>
        </message>
        <message>
            <source>the journal '%1'</source>
            <translation>das Journal '%1'</translation>
        </message>
        <message>
            <source>the journal '%1' does not begin with its run</source>
            <translation>das Journal '%1' beginnt nicht mit seinem Lauf</translation>
        </message>
        <message>
            <source>the journal '%1' does not begin with the run that its name says</source>
            <translation>das Journal '%1' beginnt nicht mit dem Lauf, den sein Name nennt</translation>
        </message>
        <message>
            <source>the journal '%1' has no segment</source>
            <translation>das Journal '%1' enthält keinen Abschnitt</translation>
        </message>
        <message>
            <source>the journal '%1' is of a newer version</source>
            <translation>das Journal '%1' stammt von einer neueren Version</translation>
        </message>
        <message>
            <source>the journal '%1' is of another run than its name says</source>
            <translation>das Journal '%1' gehört zu einem anderen Lauf, als sein Name sagt</translation>
        </message>
        <message>
            <source>the journal '%1' goes on with segment %2, which the database has from elsewhere: the run was resumed in two places</source>
            <translation>das Journal '%1' geht mit Abschnitt %2 weiter, den die Datenbank von anderswo hat: Der Lauf wurde an zwei Orten fortgesetzt</translation>
        </message>
        <message>
            <source>the journal '%1' leaves out a segment</source>
            <translation>das Journal '%1' lässt einen Abschnitt aus</translation>
        </message>
        <message>
            <source>the journal '%1' has lost the beginning of segment %2</source>
            <translation>das Journal '%1' hat den Anfang von Abschnitt %2 verloren</translation>
        </message>
        <message>
            <source>the journal '%1' is damaged at byte %2: %3 with %4 are lost</source>
            <translation>das Journal '%1' ist bei Byte %2 beschädigt: %3 mit %4 sind verloren</translation>
        </message>
        <message>
            <source>the end of the journal '%1' could not be read and was moved to '%2'; the run goes on from what is before it</source>
            <translation>das Ende des Journals '%1' war nicht zu lesen und liegt jetzt in '%2'; der Lauf geht von dem aus weiter, was davor steht</translation>
        </message>
        <message>
            <source>the configuration of run '%1' is too large for a journal</source>
            <translation>die Konfiguration des Laufs '%1' ist zu groß für ein Journal</translation>
        </message>
        <message>
            <source>an event was too large for the journal and is left out</source>
            <translation>ein Ereignis war zu groß für das Journal und fehlt darin</translation>
        </message>
        <message>
            <source>a segment is left out</source>
            <translation>ein Abschnitt ist ausgelassen</translation>
        </message>
        <message>
            <source>the beginning of its segment is lost</source>
            <translation>der Anfang seines Abschnitts ist verloren</translation>
        </message>
        <message>
            <source>there is no segment</source>
            <translation>es gibt keinen Abschnitt</translation>
        </message>
        <message>
            <source>there is no journal of a run '%1' in '%2'</source>
            <translation>es gibt in '%2' kein Journal eines Laufs '%1'</translation>
        </message>
        <message>
            <source>a checkpoint has an impossible id</source>
            <translation>ein Checkpoint hat eine unmögliche Kennung</translation>
        </message>
        <message>
            <source>somebody writes the journal '%1'; stop that run first</source>
            <translation>jemand schreibt das Journal '%1'; zuerst jenen Lauf anhalten</translation>
        </message>
        <message>
            <source>the journal '%1' is there already</source>
            <translation>das Journal '%1' gibt es schon</translation>
        </message>
        <message>
            <source>'%1' is no id of a run</source>
            <translation>'%1' ist keine Kennung eines Laufs</translation>
        </message>
        <message>
            <source>record #1</source>
            <translation>Satz %1</translation>
        </message>
        <message>
            <source>record #1 of '%2'</source>
            <translation>Satz %1 von '%2'</translation>
        </message>
        <message>
            <source>unable to get the page. error code=8202</source>
            <translation>eine Seite besteht ihre Prüfsumme nicht</translation>
        </message>
        <message>
            <source>a row of table %1 belongs to nothing</source>
            <translation>eine Zeile der Tabelle %1 gehört zu nichts</translation>
        </message>
        <message>
            <source>the step to schema version %1 leaves dangling rows in %2</source>
            <translation>der Schritt zur Schemaversion %1 hinterlässt lose Zeilen in %2</translation>
        </message>
        <message>
            <source>%1 at equal samples</source>
            <translation>%1 bei gleichen Beispielen</translation>
        </message>
        <message>
            <source>%1 at equal steps</source>
            <translation>%1 bei gleichen Schritten</translation>
        </message>
        <message>
            <source>%1 at equal tokens (GiB)</source>
            <translation>%1 bei gleichen Tokens (GiB)</translation>
        </message>
        <message>
            <source>%1 at equal time (GiB)</source>
            <translation>%1 bei gleicher Zeit (GiB)</translation>
        </message>
        <message>
            <source>%1 at equal samples (GiB)</source>
            <translation>%1 bei gleichen Beispielen (GiB)</translation>
        </message>
        <message>
            <source>%1 at equal steps (GiB)</source>
            <translation>%1 bei gleichen Schritten (GiB)</translation>
        </message>
        <message>
            <source>#1 of #2</source>
            <translation>%1 von %2</translation>
        </message>
        <message>
            <source>Within noise: runs that differ by seed only differ as much</source>
            <translation>Im Rauschen: Läufe, die sich nur im Startwert unterscheiden, liegen ebenso weit auseinander</translation>
        </message>
        <message>
            <source>No two runs differ by seed only: nobody knows how much of it is noise</source>
            <translation>Keine zwei Läufe unterscheiden sich nur im Startwert: Wie viel davon Rauschen ist, weiß niemand</translation>
        </message>
        <message>
            <source>Different too, but not counted, for they make no other experiment: %1</source>
            <translation>Auch verschieden, aber nicht gezählt, weil es keinen anderen Versuch macht: %1</translation>
        </message>
        <message>
            <source>%1 (default)</source>
            <translation>%1 (Standardwert)</translation>
        </message>
        <message>
            <source>see batch.rampup</source>
            <translation>siehe batch.rampup</translation>
        </message>
        <message>
            <source>see batch.tokens</source>
            <translation>siehe batch.tokens</translation>
        </message>
        <message>
            <source>see precision</source>
            <translation>siehe precision</translation>
        </message>
        <message>
            <source>the order follows from seed</source>
            <translation>die Reihenfolge folgt aus seed</translation>
        </message>
        <message>
            <source>no sample is dropped here: the last global batch of an epoch may be short</source>
            <translation>hier fällt kein Beispiel weg: der letzte globale Batch einer Epoche darf kürzer sein</translation>
        </message>
        <message>
            <source>rows of fixed length are not packed here; batch.tokens packs sequences up to a number of tokens</source>
            <translation>Zeilen fester Länge werden hier nicht gepackt; batch.tokens packt Sequenzen bis zu einer Zahl von Tokens</translation>
        </message>
        <message>
            <source>the text is read from files named in data.train</source>
            <translation>der Text kommt aus den Dateien, die data.train nennt</translation>
        </message>
        <message>
            <source>the text is read from files named in data.train and prepared into a cache</source>
            <translation>der Text kommt aus den Dateien, die data.train nennt, und wird vorbereitet zwischengespeichert</translation>
        </message>
        <message>
            <source>the text is read from files named in data.train; there is no streaming</source>
            <translation>der Text kommt aus den Dateien, die data.train nennt; Streaming gibt es nicht</translation>
        </message>
        <message>
            <source>evaluation predicts the same share of tokens as training, data.mlm_probability</source>
            <translation>die Auswertung sagt denselben Anteil der Tokens vorher wie das Training, data.mlm_probability</translation>
        </message>
        <message>
            <source>evaluation text is named in data.eval</source>
            <translation>den Auswertungstext nennt data.eval</translation>
        </message>
        <message>
            <source>evaluation text is named in data.eval, or held out of data.train</source>
            <translation>den Auswertungstext nennt data.eval, oder er wird von data.train zurückgelegt</translation>
        </message>
        <message>
            <source>evaluation text is named in data.eval; the loss and accuracy of masked tokens are measured</source>
            <translation>den Auswertungstext nennt data.eval; gemessen werden Verlust und Genauigkeit der maskierten Tokens</translation>
        </message>
        <message>
            <source>evaluation gives the same figures for every batch size; see eval.microbatch_size</source>
            <translation>die Auswertung ergibt bei jeder Batchgröße dieselben Zahlen; siehe eval.microbatch_size</translation>
        </message>
        <message>
            <source>the models are BERT as published, with the options of the group model</source>
            <translation>die Modelle sind BERT wie veröffentlicht, mit den Optionen der Gruppe model</translation>
        </message>
        <message>
            <source>biases and layer norms are always left out of weight decay</source>
            <translation>Biases und Layer-Normen sind von der Gewichtsabnahme immer ausgenommen</translation>
        </message>
        <message>
            <source>adamw has no such setting</source>
            <translation>adamw hat keine solche Einstellung</translation>
        </message>
        <message>
            <source>no schedule here has this parameter</source>
            <translation>kein Plan hat hier diesen Parameter</translation>
        </message>
        <message>
            <source>follows from batch.global_train_batch_size and the devices</source>
            <translation>folgt aus batch.global_train_batch_size und den Geräten</translation>
        </message>
        <message>
            <source>accumulation follows from batch.device_train_microbatch_size; give that instead</source>
            <translation>die Akkumulation folgt aus batch.device_train_microbatch_size; stattdessen das angeben</translation>
        </message>
        <message>
            <source>checkpoints are kept in the workspace (--workspace)</source>
            <translation>Checkpoints liegen im Arbeitsbereich (--workspace)</translation>
        </message>
        <message>
            <source>checkpoints are kept in the workspace; weights come from model.init_from</source>
            <translation>Checkpoints liegen im Arbeitsbereich; Gewichte kommen aus model.init_from</translation>
        </message>
        <message>
            <source>runs are kept in the workspace (--workspace)</source>
            <translation>Läufe liegen im Arbeitsbereich (--workspace)</translation>
        </message>
        <message>
            <source>a run never writes over another one's checkpoints</source>
            <translation>ein Lauf überschreibt nie die Checkpoints eines anderen</translation>
        </message>
        <message>
            <source>a run goes on with the command resume</source>
            <translation>ein Lauf geht mit dem Befehl resume weiter</translation>
        </message>
        <message>
            <source>a run goes on with the command resume, weights come from model.init_from</source>
            <translation>ein Lauf geht mit dem Befehl resume weiter, Gewichte kommen aus model.init_from</translation>
        </message>
        <message>
            <source>the command resume with --fork starts anew from a checkpoint</source>
            <translation>der Befehl resume mit --fork beginnt von einem Checkpoint aus neu</translation>
        </message>
        <message>
            <source>rate, speed, memory and gradient norm are always recorded</source>
            <translation>Lernrate, Geschwindigkeit, Speicher und Gradientennorm werden immer aufgezeichnet</translation>
        </message>
        <message>
            <source>speed and memory are always recorded</source>
            <translation>Geschwindigkeit und Speicher werden immer aufgezeichnet</translation>
        </message>
        <message>
            <source>memory is always recorded</source>
            <translation>der Speicher wird immer aufgezeichnet</translation>
        </message>
        <message>
            <source>metrics go to the workspace; export writes them to other formats</source>
            <translation>Messwerte kommen in den Arbeitsbereich; export schreibt sie in anderen Formaten</translation>
        </message>
        <message>
            <source>metrics go to the workspace; export --csv writes them out</source>
            <translation>Messwerte kommen in den Arbeitsbereich; export --csv gibt sie aus</translation>
        </message>
        <message>
            <source>the terminal shows progress by itself</source>
            <translation>das Terminal zeigt den Fortschritt von selbst</translation>
        </message>
        <message>
            <source>each device holds the whole model</source>
            <translation>jedes Gerät hält das ganze Modell</translation>
        </message>
        <message>
            <source>each device holds the whole model; import that file by itself for its batch settings</source>
            <translation>jedes Gerät hält das ganze Modell; jene Datei für ihre Batch-Einstellungen eigens importieren</translation>
        </message>
        <message>
            <source>set by the launcher</source>
            <translation>vom Startprogramm festgelegt</translation>
        </message>
        <message>
            <source>there is nothing to compile</source>
            <translation>es gibt nichts zu kompilieren</translation>
        </message>
        <message>
            <source>of Composer's algorithms only gradient_clipping by norm has a field, optimizer.grad_clip_norm</source>
            <translation>von den algorithms von Composer hat nur gradient_clipping nach Norm ein Feld, optimizer.grad_clip_norm</translation>
        </message>
        <message>
            <source>the whole of data.eval is evaluated</source>
            <translation>ausgewertet wird ganz data.eval</translation>
        </message>
        <message>
            <source>an epoch holds all of data.train; shorten the run with max_duration</source>
            <translation>eine Epoche enthält ganz data.train; den Lauf mit max_duration kürzen</translation>
        </message>
        <message>
            <source>a resume finds its place in the data without reading up to it</source>
            <translation>ein Fortsetzen findet seine Stelle in den Daten, ohne bis dahin zu lesen</translation>
        </message>
        <message>
            <source>a value that other settings refer to</source>
            <translation>ein Wert, auf den andere Einstellungen verweisen</translation>
        </message>
        <message>
            <source>a number without a unit counts epochs</source>
            <translation>eine Zahl ohne Einheit zählt Epochen</translation>
        </message>
        <message>
            <source>all: the most that can be kept</source>
            <translation>alle: so viele, wie behalten werden können</translation>
        </message>
        <message>
            <source>the formats here are fp32, tf32, bf16 and fp16, with weights in fp32</source>
            <translation>die Formate sind hier fp32, tf32, bf16 und fp16, mit Gewichten in fp32</translation>
        </message>
        <message>
            <source>the default 1e-5, divided by lr</source>
            <translation>der Standardwert 1e-5, geteilt durch lr</translation>
        </message>
        <message>
            <source>is to be divided by lr, and that gives no number here</source>
            <translation>müsste durch lr geteilt werden, und das ergibt hier keine Zahl</translation>
        </message>
        <message>
            <source>%1 divided by lr: a decoupled optimiser takes weight_decay x lr / (initial lr) off the weights in a step, adamw here weight_decay x lr</source>
            <translation>%1 geteilt durch lr: ein entkoppelter Optimierer nimmt den Gewichten in einem Schritt weight_decay x lr / (anfängliche lr), adamw hier weight_decay x lr</translation>
        </message>
        <message>
            <source>the optimiser here is adamw; check rate and betas for it</source>
            <translation>der Optimierer ist hier adamw; Lernrate und betas dafür prüfen</translation>
        </message>
        <message>
            <source>the optimiser here is adamw, with decoupled weight decay; check rate and betas for it</source>
            <translation>der Optimierer ist hier adamw, mit entkoppelter Gewichtsabnahme; Lernrate und betas dafür prüfen</translation>
        </message>
        <message>
            <source>the default of %1</source>
            <translation>der Standardwert von %1</translation>
        </message>
        <message>
            <source>without it nothing is clipped</source>
            <translation>ohne diese Angabe wird nichts gekürzt</translation>
        </message>
        <message>
            <source>without a scheduler the rate stays</source>
            <translation>ohne scheduler bleibt die Lernrate gleich</translation>
        </message>
        <message>
            <source>until you choose a schedule</source>
            <translation>bis ein Plan gewählt ist</translation>
        </message>
        <message>
            <source>belongs to a schedule that is not taken</source>
            <translation>gehört zu einem Plan, der nicht übernommen wird</translation>
        </message>
        <message>
            <source>stages of equal samples; every step has exactly its size, none is cut short</source>
            <translation>Stufen mit gleich vielen Beispielen; jeder Schritt hat genau seine Größe, keiner ist verkürzt</translation>
        </message>
        <message>
            <source>stages of equal samples, there of equal steps</source>
            <translation>Stufen mit gleich vielen Beispielen, dort mit gleich vielen Schritten</translation>
        </message>
        <message>
            <source>counts samples per device, and the file does not say how many devices; import with --devices</source>
            <translation>zählt Beispiele je Gerät, und die Datei sagt nicht, wie viele Geräte es sind; mit --devices importieren</translation>
        </message>
        <message>
            <source>without batch_size_warmup_min_size there is no ramp</source>
            <translation>ohne batch_size_warmup_min_size gibt es keinen Anstieg</translation>
        </message>
        <message>
            <source>per device there, of all devices here</source>
            <translation>dort je Gerät, hier über alle Geräte</translation>
        </message>
        <message>
            <source>their size grows by equal amounts</source>
            <translation>ihre Größe wächst um gleiche Beträge</translation>
        </message>
        <message>
            <source>its sizes, with fresh weights</source>
            <translation>seine Größen, mit frischen Gewichten</translation>
        </message>
        <message>
            <source>fresh weights</source>
            <translation>frische Gewichte</translation>
        </message>
        <message>
            <source>no preset has the sizes of this model; give them by name in the group model</source>
            <translation>kein preset hat die Größen dieses Modells; sie in der Gruppe model einzeln angeben</translation>
        </message>
        <message>
            <source>weights are read from a folder; name it in model.init_from</source>
            <translation>Gewichte werden aus einem Ordner gelesen; ihn in model.init_from nennen</translation>
        </message>
        <message>
            <source>layers here are prenorm or postnorm</source>
            <translation>Schichten sind hier prenorm oder postnorm</translation>
        </message>
        <message>
            <source>nothing is fetched from a hub; put its vocab.txt into a folder and name that in tokenizer.path</source>
            <translation>von einem Hub wird nichts geholt; die vocab.txt von dort in einen Ordner legen und ihn in tokenizer.path nennen</translation>
        </message>
        <message>
            <source>used if a vocabulary is trained; one that is given brings its own size</source>
            <translation>gilt, wenn ein Vokabular trainiert wird; ein angegebenes bringt seine eigene Größe mit</translation>
        </message>
        <message>
            <source>no name in it belongs to Composer, torchtune or DeepSpeed; if it is one of theirs, say which with --from</source>
            <translation>kein Name darin gehört zu Composer, torchtune oder DeepSpeed; wenn die Datei doch von einem davon ist, ihn mit --from nennen</translation>
        </message>
        <message>
            <source>the loss scale of fp16 is found while running</source>
            <translation>die Verlustskala von fp16 wird im Lauf gefunden</translation>
        </message>
        <message>
            <source>weights and optimiser state stay in fp32</source>
            <translation>Gewichte und Zustand des Optimierers bleiben in fp32</translation>
        </message>
        <message>
            <source>weights and optimiser state stay in fp32 here</source>
            <translation>Gewichte und Zustand des Optimierers bleiben hier in fp32</translation>
        </message>
        <message>
            <source>the command batches shows every pack</source>
            <translation>der Befehl batches zeigt jedes Paket</translation>
        </message>
        <message>
            <source>the token budget has no such setting</source>
            <translation>das Tokenbudget hat keine solche Einstellung</translation>
        </message>
        <message>
            <source>sequences come in the order of the data, shuffled or not</source>
            <translation>Sequenzen kommen in der Reihenfolge der Daten, gemischt oder nicht</translation>
        </message>
        <message>
            <source>every token passes every layer; model.layer_drop leaves out whole layers</source>
            <translation>jedes Token geht durch jede Schicht; model.layer_drop lässt ganze Schichten aus</translation>
        </message>
        <message>
            <source>follows from the sizes of global batch and micro-batch, and the devices</source>
            <translation>folgt aus den Größen von globalem Batch und Mikrobatch und den Geräten</translation>
        </message>
        <message>
            <source>activations are kept; a smaller micro-batch needs less memory</source>
            <translation>Aktivierungen werden behalten; ein kleinerer Mikrobatch braucht weniger Speicher</translation>
        </message>
        <message>
            <source>gradients are divided by the number of predicted tokens, once</source>
            <translation>Gradienten werden einmal durch die Zahl der vorhergesagten Tokens geteilt</translation>
        </message>
        <message>
            <source>gradients are summed in fp32</source>
            <translation>Gradienten werden in fp32 summiert</translation>
        </message>
        <message>
            <source>gradients are summed over the whole step first; batch.device_train_microbatch_size saves memory</source>
            <translation>Gradienten werden erst über den ganzen Schritt summiert; Speicher spart batch.device_train_microbatch_size</translation>
        </message>
        <message>
            <source>no field here means this</source>
            <translation>kein Feld hat hier diese Bedeutung</translation>
        </message>
        <message>
            <source>is filled in by the program that starts DeepSpeed; give the number</source>
            <translation>wird von dem Programm eingesetzt, das DeepSpeed startet; die Zahl angeben</translation>
        </message>
        <message>
            <source>#1 accumulated, #2 devices</source>
            <translation>%1 akkumuliert, %2 Geräte</translation>
        </message>
        <message>
            <source>#1 accumulated, #2 devices; import with --devices if there were more</source>
            <translation>%1 akkumuliert, %2 Geräte; mit --devices importieren, wenn es mehr waren</translation>
        </message>
        <message>
            <source>batch_size x #1 accumulated x #2 devices</source>
            <translation>batch_size x %1 akkumuliert x %2 Geräte</translation>
        </message>
        <message>
            <source>batch_size x #1 accumulated x #2 devices; import with --devices if there were more</source>
            <translation>batch_size x %1 akkumuliert x %2 Geräte; mit --devices importieren, wenn es mehr waren</translation>
        </message>
        <message>
            <source>DeepSpeed's Adam decays weights as AdamW does unless adam_w_mode is false</source>
            <translation>Adam von DeepSpeed lässt Gewichte wie AdamW abnehmen, außer adam_w_mode ist false</translation>
        </message>
        <message>
            <source>the scheduler's warmup_max_lr is in use instead</source>
            <translation>stattdessen gilt warmup_max_lr aus scheduler</translation>
        </message>
        <message>
            <source>is off and changes nothing</source>
            <translation>ist aus und ändert nichts</translation>
        </message>
        <message>
            <source>dynamic_batching is off</source>
            <translation>dynamic_batching ist aus</translation>
        </message>
        <message>
            <source>DeepSpeed compares the samples of a step with train_batch_size, which also counts the packs</source>
            <translation>DeepSpeed vergleicht die Beispiele eines Schritts mit train_batch_size, das auch die Pakete zählt</translation>
        </message>
        <message>
            <source>cut to a whole number, as DeepSpeed does</source>
            <translation>auf eine ganze Zahl gekürzt, wie bei DeepSpeed</translation>
        </message>
        <message>
            <source>there is no budget without max_tokens</source>
            <translation>ohne max_tokens gibt es kein Budget</translation>
        </message>
        <message>
            <source>as documented; DeepSpeed's code ends packing there and loses the rest</source>
            <translation>wie dokumentiert; der Code von DeepSpeed hört dort auf zu packen und verliert den Rest</translation>
        </message>
        <message>
            <source>a device computes one pack at once; sizes count packs</source>
            <translation>ein Gerät rechnet ein Paket auf einmal; Größen zählen Pakete</translation>
        </message>
        <message>
            <source>a device computes one pack at once under a token budget</source>
            <translation>mit Tokenbudget rechnet ein Gerät ein Paket auf einmal</translation>
        </message>
        <message>
            <source>DeepSpeed's falls one step earlier</source>
            <translation>bei DeepSpeed fällt er einen Schritt früher</translation>
        </message>
        <message>
            <source>no named schedule begins above 0</source>
            <translation>kein benannter Plan beginnt über 0</translation>
        </message>
        <message>
            <source>no named schedule rises with the logarithm</source>
            <translation>kein benannter Plan steigt mit dem Logarithmus</translation>
        </message>
        <message>
            <source>the schedule's length is taken as the run's</source>
            <translation>als Länge des Laufs gilt die des Plans</translation>
        </message>
        <message>
            <source>it takes the place of the optimiser's lr</source>
            <translation>es tritt an die Stelle von lr des Optimierers</translation>
        </message>
        <message>
            <source>DeepSpeed's default, which takes the place of the optimiser's lr</source>
            <translation>der Standardwert von DeepSpeed, der an die Stelle von lr des Optimierers tritt</translation>
        </message>
        <message>
            <source>its step counts give no schedule: total_num_steps must be above warmup_num_steps, and that above 1</source>
            <translation>seine Schrittzahlen ergeben keinen Plan: total_num_steps muss über warmup_num_steps liegen, und das über 1</translation>
        </message>
        <message>
            <source>of DeepSpeed's schedules WarmupLR, WarmupDecayLR and WarmupCosineLR are known</source>
            <translation>von den Plänen von DeepSpeed sind WarmupLR, WarmupDecayLR und WarmupCosineLR bekannt</translation>
        </message>
        <message>
            <source>differs from %1, which stands in %2 already; there is one value for both here</source>
            <translation>weicht von %1 ab, das schon in %2 steht; hier gibt es einen Wert für beide</translation>
        </message>
        <message>
            <source>the imported configuration is refused: %1</source>
            <translation>die importierte Konfiguration wird abgelehnt: {1}</translation>
        </message>
        <message>
            <source>holds no section of the form 'name: value'</source>
            <translation>enthält keinen Abschnitt der Form 'Name: Wert'</translation>
        </message>
        <message>
            <source>refers to %1, a form that is not known; write the value itself</source>
            <translation>verweist auf %1, eine unbekannte Form; den Wert selbst schreiben</translation>
        </message>
        <message>
            <source>refers to %1, which refers back to itself</source>
            <translation>verweist auf %1, das auf sich selbst zurückführt</translation>
        </message>
        <message>
            <source>refers to %1, which this file does not define; write the value itself</source>
            <translation>verweist auf %1, das in dieser Datei fehlt; den Wert selbst schreiben</translation>
        </message>
        <message>
            <source>refers to %1, which is not a single value</source>
            <translation>verweist auf %1, und das ist kein einzelner Wert</translation>
        </message>
        <message>
            <source>the increment, asked once an epoch</source>
            <translation>der Zuwachs, einmal je Epoche gefragt</translation>
        </message>
        <message>
            <source>the tokenizer is WordPiece: tokenizer.path or tokenizer.train</source>
            <translation>der Tokenizer ist WordPiece: tokenizer.path oder tokenizer.train</translation>
        </message>
        <message>
            <source>the loss is that of masked tokens, per predicted token</source>
            <translation>der Verlust ist der maskierter Tokens, je vorhergesagtem Token</translation>
        </message>
        <message>
            <source>the update is one pass over the weights in any case</source>
            <translation>ein Schritt geht in jedem Fall nur einmal über die Gewichte</translation>
        </message>
        <message>
            <source>runs repeat bit for bit unless devices.deterministic is false</source>
            <translation>Läufe wiederholen sich Bit für Bit, außer devices.deterministic ist false</translation>
        </message>
        <message>
            <source>has no meaning without batch_size</source>
            <translation>hat ohne batch_size keine Bedeutung</translation>
        </message>
        <message>
            <source>epochs x max_steps_per_epoch; the data goes on after that many steps, where torchtune begins it again</source>
            <translation>epochs x max_steps_per_epoch; die Daten gehen nach so vielen Schritten weiter, wo torchtune von vorn beginnt</translation>
        </message>
        <message>
            <source>no schedule here is known by this name</source>
            <translation>hier ist kein Plan dieses Namens bekannt</translation>
        </message>
        <message>
            <source>only half a cosine, num_cycles 0.5, is known</source>
            <translation>nur ein halber Kosinus, num_cycles 0.5, ist bekannt</translation>
        </message>
        <message>
            <source>is Python; write it as a formula of epoch, current_batch_size and loss</source>
            <translation>ist Python; als Formel aus epoch, current_batch_size und loss schreiben</translation>
        </message>
        <message>
            <source>its entry was lost</source>
            <translation>der Eintrag ging verloren</translation>
        </message>
        <message>
            <source>salvaged</source>
            <translation>gerettet</translation>
        </message>
        <message>
            <source>and #1 more</source>
            <translation>und %1 weitere</translation>
        </message>
        <message>
            <source>the start of #1 segments, taken from their first rows instead</source>
            <translation>der Anfang von %1 Abschnitten; stattdessen gelten deren erste Zeilen</translation>
        </message>
        <message>
            <source>a row of table %1: %2</source>
            <translation>eine Zeile der Tabelle %1: {2}</translation>
        </message>
        <message>
            <source>a row of table %1 that belongs to no run</source>
            <translation>eine Zeile der Tabelle %1, die zu keinem Lauf gehört</translation>
        </message>
        <message>
            <source>texts and state of run number %1; its figures are under '%2'; its id and name were taken from an index, which carries no checksum</source>
            <translation>Texte und Zustand von Lauf Nummer %1; seine Werte stehen unter '%2'; Kennung und Name stammen aus einem Index, der keine Prüfsumme trägt</translation>
        </message>
        <message>
            <source>texts and state of run number %1; its figures are under '%2'</source>
            <translation>Texte und Zustand von Lauf Nummer %1; seine Zahlen stehen unter '%2'</translation>
        </message>
        <message>
            <source>a block of metrics that belongs to no series</source>
            <translation>ein Block von Messwerten, der zu keiner Reihe gehört</translation>
        </message>
        <message>
            <source>a block of metrics that fails its checksum (series number %1)</source>
            <translation>ein Block von Messwerten mit falscher Prüfsumme (Reihe Nummer %1)</translation>
        </message>
        <message>
            <source>the folder for the new workspace is missing; name one that does not exist</source>
            <translation>der Ordner für den neuen Arbeitsbereich fehlt; einen nennen, den es noch nicht gibt</translation>
        </message>
        <message>
            <source>'%1' exists already; name a folder that does not, for the new workspace</source>
            <translation>'%1' gibt es schon; für den neuen Arbeitsbereich einen Ordner nennen, den es nicht gibt</translation>
        </message>
        <message>
            <source>everything that only the database held: %1</source>
            <translation>alles, was nur die Datenbank enthielt: {1}</translation>
        </message>
        <message>
            <source>the new workspace</source>
            <translation>der neue Arbeitsbereich</translation>
        </message>
        <message>
            <source>it does not say when it was taken</source>
            <translation>er sagt nicht, wann er entstand</translation>
        </message>
        <message>
            <source>figures, events and texts of run %1; its configuration and its checkpoints are there again, taken from the files</source>
            <translation>Zahlen, Ereignisse und Texte von Lauf %1; seine Konfiguration und seine Checkpoints sind wieder da, aus den Dateien genommen</translation>
        </message>
        <message>
            <source>the entries of 1 checkpoint of run %1, made again from the files</source>
            <translation>der Eintrag von 1 Checkpoint von Lauf %1, neu aus der Datei erstellt</translation>
        </message>
        <message>
            <source>the entries of #1 checkpoints of run %2, made again from the files</source>
            <translation>die Einträge von %1 Checkpoints von Lauf %2, neu aus den Dateien erstellt</translation>
        </message>
        <message>
            <source>its name is not that of a checkpoint of a run</source>
            <translation>ihr Name ist nicht der eines Checkpoints eines Laufs</translation>
        </message>
        <message>
            <source>checkpoint %1: %2</source>
            <translation>Checkpoint %1: {2}</translation>
        </message>
        <message>
            <source>checkpoint file %1, which no entry names: %2</source>
            <translation>Checkpointdatei %1, die kein Eintrag nennt: {2}</translation>
        </message>
        <message>
            <source>the pages that describe the tables; each row was told by what it holds</source>
            <translation>die Seiten, die die Tabellen beschreiben; jede Zeile wurde an ihrem Inhalt erkannt</translation>
        </message>
        <message>
            <source>rows of table '%1' that cannot be read or fail their checksum: %2 of %3</source>
            <translation>Zeilen der Tabelle '%1', die nicht lesbar sind oder eine falsche Prüfsumme haben: %2 von %3</translation>
        </message>
        <message>
            <source>the entry of series '%1'; its name was taken from an index, which carries no checksum</source>
            <translation>der Eintrag der Reihe '%1'; ihr Name stammt aus einem Index, der keine Prüfsumme hat</translation>
        </message>
        <message>
            <source>what was in '%1-wal', which does not fit the database</source>
            <translation>was in '%1-wal' stand, das nicht zur Datenbank passt</translation>
        </message>
        <message>
            <source>the rows come from an earlier version and carry no checksums but those of the metrics; whether some are missing cannot be told</source>
            <translation>die Zeilen stammen von einer früheren Version und haben nur bei den Messwerten Prüfsummen; ob welche fehlen, ist nicht zu erkennen</translation>
        </message>
        <message>
            <source>cannot wait for '%1': %2</source>
            <translation>auf '%1' kann nicht gewartet werden: {2}</translation>
        </message>
        <message>
            <source>what the search for rows did not reach; it ended early</source>
            <translation>was die Suche nach Zeilen nicht erreicht hat; sie endete vorzeitig</translation>
        </message>
        <message>
            <source>1 row larger than 4 MiB</source>
            <translation>1 Zeile über 4 MiB</translation>
        </message>
        <message>
            <source>#1 rows larger than 4 MiB</source>
            <translation>%1 Zeilen über 4 MiB</translation>
        </message>
        <message>
            <source>the search for rows ended early and found none</source>
            <translation>die Suche nach Zeilen endete vorzeitig und fand keine</translation>
        </message>
        <message>
            <source>salvage needs the file '%1', which is not there; install or build all of Batchwise again</source>
            <translation>zum Bergen fehlt die Datei '%1'; Batchwise vollständig neu installieren oder bauen</translation>
        </message>
        <message>
            <source>the program `sqlite3` cannot load '%1'; it must be one that takes extensions, as that of Debian's package sqlite3</source>
            <translation>das Programm `sqlite3` kann '%1' nicht laden; es muss eines sein, das Erweiterungen annimmt, wie das aus Debians Paket sqlite3</translation>
        </message>
        <message>
            <source>a program that reads the file did not end in time</source>
            <translation>ein Programm, das die Datei liest, endete nicht rechtzeitig</translation>
        </message>
        <message>
            <source>'%1' holds no table</source>
            <translation>'%1' enthält keine Tabelle</translation>
        </message>
        <message>
            <source>a row of metrics that fails its checksum</source>
            <translation>eine Zeile von Messwerten mit falscher Prüfsumme</translation>
        </message>
        <message>
            <source>a series with an impossible name or number</source>
            <translation>eine Reihe mit unmöglichem Namen oder unmöglicher Nummer</translation>
        </message>
        <message>
            <source>an event that is none</source>
            <translation>ein Ereignis, das keines ist</translation>
        </message>
        <message>
            <source>a checkpoint with an impossible id</source>
            <translation>ein Checkpoint mit unmöglicher Kennung</translation>
        </message>
        <message>
            <source>checkpoint %1, whose file is said to be elsewhere</source>
            <translation>Checkpoint %1, dessen Datei anderswo liegen soll</translation>
        </message>
        <message>
            <source>a run without id, name or status</source>
            <translation>ein Lauf ohne Kennung, Namen oder Zustand</translation>
        </message>
        <message>
            <source>run '%1', whose name is there already</source>
            <translation>Lauf '%1', dessen Name schon vergeben ist</translation>
        </message>
        <message>
            <source>%1: this is not valid YAML: %2 (column %3)</source>
            <translation>%1: das ist kein gültiges YAML: {2} (Spalte %3)</translation>
        </message>
        <message>
            <source>YAML directives must have exactly one argument</source>
            <translation>YAML-Direktiven haben genau ein Argument</translation>
        </message>
        <message>
            <source>bad YAML version: %1</source>
            <translation>falsche YAML-Version: %1</translation>
        </message>
        <message>
            <source>YAML major version too large</source>
            <translation>die Hauptversion von YAML ist zu groß</translation>
        </message>
        <message>
            <source>repeated YAML directive</source>
            <translation>eine YAML-Direktive ist wiederholt</translation>
        </message>
        <message>
            <source>TAG directives must have exactly two arguments</source>
            <translation>TAG-Direktiven haben genau zwei Argumente</translation>
        </message>
        <message>
            <source>repeated TAG directive</source>
            <translation>eine TAG-Direktive ist wiederholt</translation>
        </message>
        <message>
            <source>illegal character found while scanning tag handle</source>
            <translation>unerlaubtes Zeichen im Namen eines Tags</translation>
        </message>
        <message>
            <source>tag handle with no suffix</source>
            <translation>ein Tag hat keinen Namen</translation>
        </message>
        <message>
            <source>end of verbatim tag not found</source>
            <translation>das Ende eines Tags fehlt</translation>
        </message>
        <message>
            <source>end of map not found</source>
            <translation>das Ende eines Abschnitts fehlt</translation>
        </message>
        <message>
            <source>end of map flow not found</source>
            <translation>das Ende eines Abschnitts fehlt: }</translation>
        </message>
        <message>
            <source>end of sequence not found</source>
            <translation>das Ende einer Liste fehlt</translation>
        </message>
        <message>
            <source>end of sequence flow not found</source>
            <translation>das Ende einer Liste fehlt: ]</translation>
        </message>
        <message>
            <source>cannot assign multiple tags to the same node</source>
            <translation>ein Wert kann nicht mehrere Tags haben</translation>
        </message>
        <message>
            <source>cannot assign multiple anchors to the same node</source>
            <translation>ein Wert kann nicht mehrere Anker haben</translation>
        </message>
        <message>
            <source>cannot assign multiple aliases to the same node</source>
            <translation>ein Wert kann nicht mehrere Verweise haben</translation>
        </message>
        <message>
            <source>cannot assign the same alias to multiple nodes</source>
            <translation>mehrere Werte können nicht denselben Anker haben</translation>
        </message>
        <message>
            <source>aliases can't have any content, *including* tags</source>
            <translation>ein Verweis kann keinen Inhalt haben, auch keine Tags</translation>
        </message>
        <message>
            <source>bad character found while scanning hex number</source>
            <translation>falsches Zeichen in einer Hexadezimalzahl</translation>
        </message>
        <message>
            <source>invalid unicode: %1</source>
            <translation>ungültiges Unicode: %1</translation>
        </message>
        <message>
            <source>unknown escape character: %1</source>
            <translation>unbekanntes Zeichen nach \: %1</translation>
        </message>
        <message>
            <source>unknown token</source>
            <translation>unbekanntes Zeichen</translation>
        </message>
        <message>
            <source>illegal document indicator in scalar</source>
            <translation>der Beginn eines Dokuments ist in einem Wert nicht erlaubt</translation>
        </message>
        <message>
            <source>illegal EOF in scalar</source>
            <translation>der Text endet in einem Wert</translation>
        </message>
        <message>
            <source>illegal character in scalar</source>
            <translation>unerlaubtes Zeichen in einem Wert</translation>
        </message>
        <message>
            <source>invalid character in single-quoted string</source>
            <translation>ungültiges Zeichen zwischen einfachen Anführungszeichen</translation>
        </message>
        <message>
            <source>illegal tab when looking for indentation</source>
            <translation>ein Tabulator ist als Einrückung nicht erlaubt</translation>
        </message>
        <message>
            <source>illegal flow end</source>
            <translation>hier wird geschlossen, was nicht offen ist</translation>
        </message>
        <message>
            <source>illegal block entry</source>
            <translation>ein Listenpunkt ist hier nicht erlaubt</translation>
        </message>
        <message>
            <source>illegal map key</source>
            <translation>ein Name ist hier nicht erlaubt</translation>
        </message>
        <message>
            <source>illegal map value</source>
            <translation>ein Wert nach Doppelpunkt ist hier nicht erlaubt</translation>
        </message>
        <message>
            <source>alias not found after *</source>
            <translation>nach * fehlt der Name des Verweises</translation>
        </message>
        <message>
            <source>anchor not found after &amp;</source>
            <translation>nach &amp; fehlt der Name des Ankers</translation>
        </message>
        <message>
            <source>illegal character found while scanning alias</source>
            <translation>unerlaubtes Zeichen im Namen eines Verweises</translation>
        </message>
        <message>
            <source>illegal character found while scanning anchor</source>
            <translation>unerlaubtes Zeichen im Namen eines Ankers</translation>
        </message>
        <message>
            <source>cannot set zero indentation for a block scalar</source>
            <translation>ein Textblock kann nicht um null eingerückt sein</translation>
        </message>
        <message>
            <source>unexpected character in block scalar</source>
            <translation>unerwartetes Zeichen im Kopf eines Textblocks</translation>
        </message>
        <message>
            <source>the referenced anchor is not defined</source>
            <translation>der Anker, auf den verwiesen wird, fehlt</translation>
        </message>
        <message>
            <source>the referenced anchor is not defined: %1</source>
            <translation>der Anker, auf den verwiesen wird, fehlt: %1</translation>
        </message>
        <message>
            <source>--nodes is %1, but partition %2 has %3</source>
            <translation>die Zahl der Maschinen ist %1, aber Partition %2 hat {3}</translation>
        </message>
        <message>
            <source>--nodes is %1; it takes %2 to 1000000</source>
            <translation>die Zahl der Maschinen ist %1; möglich sind %2 bis 1000000</translation>
        </message>
        <message>
            <source>--gpus-per-node is %1, but partition %2 has %3</source>
            <translation>die Zahl der GPUs auf jeder Maschine ist %1, aber Partition %2 hat {3}</translation>
        </message>
        <message>
            <source>--gpus-per-node is %1; it takes %2 to 1000000</source>
            <translation>die Zahl der GPUs auf jeder Maschine ist %1; möglich sind %2 bis 1000000</translation>
        </message>
        <message>
            <source>--ranks-per-node is %1, but partition %2 has %3</source>
            <translation>die Zahl der Prozesse auf jeder Maschine ist %1, aber Partition %2 hat {3}</translation>
        </message>
        <message>
            <source>--ranks-per-node is %1; it takes %2 to 1000000</source>
            <translation>die Zahl der Prozesse auf jeder Maschine ist %1; möglich sind %2 bis 1000000</translation>
        </message>
        <message>
            <source>--cores-per-rank is %1, but partition %2 has %3</source>
            <translation>die Zahl der Kerne jedes Prozesses ist %1, aber Partition %2 hat {3}</translation>
        </message>
        <message>
            <source>--cores-per-rank is %1; it takes %2 to 1000000</source>
            <translation>die Zahl der Kerne jedes Prozesses ist %1; möglich sind %2 bis 1000000</translation>
        </message>
        <message>
            <source>--time is %1, but partition %2 has %3</source>
            <translation>die Zeitgrenze eines Auftrags in Minuten ist %1, aber Partition %2 hat {3}</translation>
        </message>
        <message>
            <source>--ranks-per-node x --cores-per-rank is %1, but partition %2 has %3</source>
            <translation>die Zahl der Kerne aller Prozesse auf einer Maschine ist %1, aber Partition %2 hat {3}</translation>
        </message>
    </context>
</TS>
