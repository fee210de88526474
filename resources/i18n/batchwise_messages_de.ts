<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<!DOCTYPE TS>
<!-- The messages of core in German, by id: core/<layer>/messages.def has the English. -->
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name>messages</name>
        <message>
            <source>analysis.after_unequal_tokens</source>
            <translation>nach {tokens} gegenüber {baseline} Tokens</translation>
        </message>
        <message>
            <source>analysis.cell_against_baseline</source>
            <translation>{line}: {value}, gegenüber {other} der Basis {baseline}. Differenz: {difference}</translation>
        </message>
        <message>
            <source>analysis.cell_against_baseline_with_band</source>
            <translation>{line}: {value}, gegenüber {other} der Basis {baseline}. Differenz: {difference}; ± ist ein 95-%-Intervall</translation>
        </message>
        <message>
            <source>analysis.cell_is_baseline</source>
            <translation>{line}, die Basis: {value}</translation>
        </message>
        <message>
            <source>analysis.cell_member_count</source>
            <translation>{count} von {total}</translation>
        </message>
        <message>
            <source>analysis.compared_at_common_run_end</source>
            <translation>Verglichen an der Stelle {place}, wo jeder Lauf endet.</translation>
        </message>
        <message>
            <source>analysis.compared_at_equal_tokens</source>
            <translation>am Ende haben die Läufe über {axis} ungleich viele Tokens gesehen, deshalb werden sie bei gleich vielen Tokens verglichen</translation>
        </message>
        <message>
            <source>analysis.compared_at_shortest_run_end</source>
            <translation>Verglichen an der Stelle {place}, der größten, die alle {count} Läufe erreichen: {run} endet dort.</translation>
        </message>
        <message>
            <source>analysis.compared_at_training_run</source>
            <translation>Verglichen an der Stelle {place}, der größten, die alle {count} Läufe erreicht haben: {run} trainiert noch.</translation>
        </message>
        <message>
            <source>analysis.compared_run_lacks_metric</source>
            <translation>{run} hat keine Werte von {metric}</translation>
        </message>
        <message>
            <source>analysis.compared_run_read_as_buckets</source>
            <translation>{run} wird in 20.000 Abschnitten mit ihren Extremwerten gelesen; seine Mittel und ausgegebenen Punkte folgen diesen</translation>
        </message>
        <message>
            <source>analysis.comparison_config_unreadable</source>
            <translation>die Konfiguration von {run} ist nicht lesbar und wird nicht verglichen</translation>
        </message>
        <message>
            <source>analysis.comparison_metric_has_no_values</source>
            <translation>Es gibt nichts zu vergleichen: kein Lauf hat Werte von {metric}.</translation>
        </message>
        <message>
            <source>analysis.comparison_needs_one_run</source>
            <translation>kein Lauf ist zu vergleichen; mindestens einen nennen</translation>
        </message>
        <message>
            <source>analysis.comparison_report_method_heading</source>
            <translation>Verfahren</translation>
        </message>
        <message>
            <source>analysis.comparison_report_title</source>
            <translation>Vergleich von {count} Läufen: {metric}</translation>
        </message>
        <message>
            <source>analysis.comparison_smoothing_out_of_range</source>
            <translation>eine Glättung von {value:exact} ist verlangt; sie ist mindestens 0 und kleiner als 1</translation>
        </message>
        <message>
            <source>analysis.evaluated_with_training_masks</source>
            <translation>{runs} wurden mit den Masken des Trainings ausgewertet, wie in früheren Versionen: Die Masken folgen dem Startwert des Laufs</translation>
        </message>
        <message>
            <source>analysis.evaluation_not_alike</source>
            <translation>die Auswertungen von {baseline} und {runs} wurden nicht gleich gemessen: {reason}</translation>
        </message>
        <message>
            <source>analysis.field_unknown</source>
            <translation>es gibt kein Feld '{name}'</translation>
        </message>
        <message>
            <source>analysis.field_unknown_did_you_mean</source>
            <translation>es gibt kein Feld '{name}'; gemeint war vielleicht '{nearest}'?</translation>
        </message>
        <message>
            <source>analysis.fields_differ</source>
            <translation>{differing} von {compared} Feldern {differing?ist|sind} verschieden</translation>
        </message>
        <message>
            <source>analysis.fields_uncounted</source>
            <translation>Auch verschieden, aber nicht gezählt, weil sie kein anderes Experiment machen: {fields}</translation>
        </message>
        <message>
            <source>analysis.filter_character_not_allowed</source>
            <translation>'{found}' bedeutet hier nichts; 'and', 'or' oder 'not' schreiben oder den Text in Anführungszeichen setzen</translation>
        </message>
        <message>
            <source>analysis.filter_comparison_needs_number</source>
            <translation>'{comparison}' verlangt eine Zahl oder eine Zeit mit Einheit, nicht '{value}'</translation>
        </message>
        <message>
            <source>analysis.filter_error_at_position</source>
            <translation>Stelle {position}: {message}</translation>
        </message>
        <message>
            <source>analysis.filter_expected_comma_or_parenthesis</source>
            <translation>ein Komma oder ')' wird erwartet, hier steht '{found}'</translation>
        </message>
        <message>
            <source>analysis.filter_expected_condition</source>
            <translation>eine Bedingung wird erwartet, hier steht '{found}'</translation>
        </message>
        <message>
            <source>analysis.filter_expected_list_after_in</source>
            <translation>nach 'in' wird eine Liste in Klammern erwartet, wie (1, 2)</translation>
        </message>
        <message>
            <source>analysis.filter_expected_value</source>
            <translation>nach '{comparison}' wird ein Wert erwartet, hier steht '{found}'</translation>
        </message>
        <message>
            <source>analysis.filter_needs_day</source>
            <translation>'{comparison}' braucht hier einen Tag, wie 2026-11-21, nicht '{value}'</translation>
        </message>
        <message>
            <source>analysis.filter_nested_too_deeply</source>
            <translation>das ist zu tief geschachtelt; höchstens 100 Ebenen</translation>
        </message>
        <message>
            <source>analysis.filter_parenthesis_not_closed</source>
            <translation>die Klammer, die hier aufgeht, wird nicht geschlossen</translation>
        </message>
        <message>
            <source>analysis.filter_quote_not_closed</source>
            <translation>das Anführungszeichen, das hier beginnt, wird nicht geschlossen</translation>
        </message>
        <message>
            <source>analysis.filter_status_unknown</source>
            <translation>es gibt keinen Zustand '{value}'; es gibt created, running, paused, finished, stopped, failed, interrupted</translation>
        </message>
        <message>
            <source>analysis.filter_text_too_long</source>
            <translation>ein Filter von {size} Bytes ist zu lang; höchstens 10.000</translation>
        </message>
        <message>
            <source>analysis.filter_token_is_surplus</source>
            <translation>'{found}' ist hier zu viel</translation>
        </message>
        <message>
            <source>analysis.group_field_unknown</source>
            <translation>es gibt kein Feld '{name}', nach dem gruppiert werden kann</translation>
        </message>
        <message>
            <source>analysis.group_field_unknown_did_you_mean</source>
            <translation>es gibt kein Feld '{name}', nach dem gruppiert werden kann; gemeint war vielleicht '{nearest}'?</translation>
        </message>
        <message>
            <source>analysis.label_at_equal_axis_with_unit</source>
            <translation>{title}, gleiche {axis} ({unit})</translation>
        </message>
        <message>
            <source>analysis.label_at_place</source>
            <translation>{title} bei {place}</translation>
        </message>
        <message>
            <source>analysis.label_baseline</source>
            <translation>Basis</translation>
        </message>
        <message>
            <source>analysis.label_better</source>
            <translation>besser</translation>
        </message>
        <message>
            <source>analysis.label_configuration</source>
            <translation>Konfiguration</translation>
        </message>
        <message>
            <source>analysis.label_created</source>
            <translation>angelegt</translation>
        </message>
        <message>
            <source>analysis.label_failed</source>
            <translation>gescheitert</translation>
        </message>
        <message>
            <source>analysis.label_field</source>
            <translation>Feld</translation>
        </message>
        <message>
            <source>analysis.label_finished</source>
            <translation>fertig</translation>
        </message>
        <message>
            <source>analysis.label_group</source>
            <translation>Gruppe</translation>
        </message>
        <message>
            <source>analysis.label_id</source>
            <translation>Kennung</translation>
        </message>
        <message>
            <source>analysis.label_interrupted</source>
            <translation>unterbrochen</translation>
        </message>
        <message>
            <source>analysis.label_mean</source>
            <translation>Mittel</translation>
        </message>
        <message>
            <source>analysis.label_median</source>
            <translation>Median</translation>
        </message>
        <message>
            <source>analysis.label_note</source>
            <translation>Notiz</translation>
        </message>
        <message>
            <source>analysis.label_run</source>
            <translation>Lauf</translation>
        </message>
        <message>
            <source>analysis.label_running</source>
            <translation>läuft</translation>
        </message>
        <message>
            <source>analysis.label_runs</source>
            <translation>Läufe</translation>
        </message>
        <message>
            <source>analysis.label_runs_heading</source>
            <translation>Läufe</translation>
        </message>
        <message>
            <source>analysis.label_same</source>
            <translation>gleich</translation>
        </message>
        <message>
            <source>analysis.label_state</source>
            <translation>Zustand</translation>
        </message>
        <message>
            <source>analysis.label_std</source>
            <translation>Std.</translation>
        </message>
        <message>
            <source>analysis.label_stopped</source>
            <translation>angehalten</translation>
        </message>
        <message>
            <source>analysis.label_tags</source>
            <translation>Schlagwörter</translation>
        </message>
        <message>
            <source>analysis.label_time</source>
            <translation>Zeit</translation>
        </message>
        <message>
            <source>analysis.label_training_time</source>
            <translation>Trainingszeit</translation>
        </message>
        <message>
            <source>analysis.label_values</source>
            <translation>Werte</translation>
        </message>
        <message>
            <source>analysis.label_vs_baseline</source>
            <translation>zur Basis</translation>
        </message>
        <message>
            <source>analysis.label_within_noise</source>
            <translation>im Rauschen</translation>
        </message>
        <message>
            <source>analysis.label_worse</source>
            <translation>schlechter</translation>
        </message>
        <message>
            <source>analysis.mean_speed_column_title</source>
            <translation>mittlere Geschwindigkeit</translation>
        </message>
        <message>
            <source>analysis.measured_fields_differ</source>
            <translation>sie unterscheiden sich in {fields}</translation>
        </message>
        <message>
            <source>analysis.measured_text_changed</source>
            <translation>der Text hat sich geändert</translation>
        </message>
        <message>
            <source>analysis.metric_at_equal_axis</source>
            <translation>{metric}, gleiche {axis}</translation>
        </message>
        <message>
            <source>analysis.not_measured_alike</source>
            <translation>nicht gleich gemessen</translation>
        </message>
        <message>
            <source>analysis.peak_memory_column_title</source>
            <translation>Speicherspitze</translation>
        </message>
        <message>
            <source>analysis.place_in_training</source>
            <translation>{duration} Training</translation>
        </message>
        <message>
            <source>analysis.place_on_axis</source>
            <translation>{count:integer} {axis}</translation>
        </message>
        <message>
            <source>analysis.repeated_seeds_not_counted</source>
            <translation>in keinem Mittelwert gezählt, weil ein anderer Lauf dieselben Einstellungen und denselben Startwert hat: {runs}</translation>
        </message>
        <message>
            <source>analysis.run_names_and_more</source>
            <translation>{names} und {count} weitere</translation>
        </message>
        <message>
            <source>analysis.seed_noise_band_explained</source>
            <translation>Läufe, die sich nur im Startwert unterscheiden, geben das Rauschband: Ein Unterschied innerhalb davon (95 %, Students t über die gemeinsame Abweichung der Startwerte) heißt „im Rauschen“.</translation>
        </message>
        <message>
            <source>analysis.seed_noise_not_measured</source>
            <translation>Keine zwei Läufe unterscheiden sich nur im Startwert: niemand weiß, wie viel davon Rauschen ist</translation>
        </message>
        <message>
            <source>analysis.seed_noise_unknown</source>
            <translation>Keine zwei Läufe unterscheiden sich nur im Startwert; wie viel eines Unterschieds Rauschen ist, ist darum nicht bekannt.</translation>
        </message>
        <message>
            <source>analysis.setting_batch</source>
            <translation>Batch {samples:integer}</translation>
        </message>
        <message>
            <source>analysis.setting_budget</source>
            <translation>Budget {tokens:integer}</translation>
        </message>
        <message>
            <source>analysis.setting_continues</source>
            <translation>setzt {model} fort</translation>
        </message>
        <message>
            <source>analysis.setting_length</source>
            <translation>Länge {tokens:integer}</translation>
        </message>
        <message>
            <source>analysis.setting_masked</source>
            <translation>maskiert {share}</translation>
        </message>
        <message>
            <source>analysis.setting_no_budget</source>
            <translation>ohne Budget</translation>
        </message>
        <message>
            <source>analysis.setting_no_ramp</source>
            <translation>ohne Anstieg</translation>
        </message>
        <message>
            <source>analysis.setting_none</source>
            <translation>ohne {name}</translation>
        </message>
        <message>
            <source>analysis.setting_of</source>
            <translation>{name} {value:integer}</translation>
        </message>
        <message>
            <source>analysis.setting_ramp</source>
            <translation>Anstieg {from:integer} bis {to:integer}</translation>
        </message>
        <message>
            <source>analysis.setting_ramp_over</source>
            <translation>Anstieg über {duration}</translation>
        </message>
        <message>
            <source>analysis.setting_random_weights</source>
            <translation>mit Zufallsgewichten</translation>
        </message>
        <message>
            <source>analysis.smoothed_axis_title</source>
            <translation>{axis} geglättet</translation>
        </message>
        <message>
            <source>analysis.smoothed_with_factor</source>
            <translation>geglättet {value:value}</translation>
        </message>
        <message>
            <source>analysis.starting_weights_differ</source>
            <translation>{runs} begannen mit trainierten Gewichten (model.init_from oder model.tile_from), die anderen mit zufälligen: Gleich viele Tokens bedeuten nicht gleich viel Training</translation>
        </message>
        <message>
            <source>analysis.steps_per_batch_differ</source>
            <translation>ein globaler Batch hat in {runs} bis zu {most} Optimiererschritte und in den anderen {fewest}: Wo er mehrere hat, wird der Trainingsverlust zwischen ihnen gemessen</translation>
        </message>
        <message>
            <source>analysis.summary_column_compared_at</source>
            <translation>{column} gilt an der Stelle {place}, der größten, die alle Läufe mit Werten davon erreichen.</translation>
        </message>
        <message>
            <source>analysis.summary_column_is_mean</source>
            <translation>{column} ist das Mittel über die letzten {window} bis dorthin.</translation>
        </message>
        <message>
            <source>analysis.values_at_run_end</source>
            <translation>Werte an der Stelle {place}, wo der Lauf endet.</translation>
        </message>
        <message>
            <source>analysis.within_seed_noise</source>
            <translation>Nach ±: das Rauschen von Läufen, die sich nur im Startwert unterscheiden (95 %); im Rauschen: der Unterschied ist nicht größer</translation>
        </message>
        <message>
            <source>base.archived_checkpoint_name</source>
            <translation>Checkpoint {id}</translation>
        </message>
        <message>
            <source>base.boolean_noun</source>
            <translation>true oder false</translation>
        </message>
        <message>
            <source>base.cannot_ask_for_free_space</source>
            <translation>der freie Platz von '{path}' ist nicht zu erfahren: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_copy</source>
            <translation>'{path}' lässt sich nicht kopieren: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_cut</source>
            <translation>'{path}' lässt sich nicht kürzen: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_delete</source>
            <translation>'{path}' lässt sich nicht löschen: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_find_checkpoint_file</source>
            <translation>die Checkpointdatei '{path}' ist nicht zu finden: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_find_store</source>
            <translation>der Speicher '{path}' ist nicht zu finden: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_lock</source>
            <translation>'{path}' lässt sich nicht sperren: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_make</source>
            <translation>'{path}' lässt sich nicht anlegen: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_make_folder</source>
            <translation>der Ordner '{path}' lässt sich nicht anlegen: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_map</source>
            <translation>'{path}' lässt sich nicht einblenden: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_open</source>
            <translation>'{path}' lässt sich nicht öffnen: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_open_folder</source>
            <translation>der Ordner '{path}' lässt sich nicht öffnen: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_open_lock</source>
            <translation>die Sperre '{path}' lässt sich nicht öffnen: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_prepare</source>
            <translation>'{path}' lässt sich nicht vorbereiten: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_reach</source>
            <translation>'{path}' ist nicht erreichbar: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_read</source>
            <translation>'{path}' ist nicht lesbar: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_read_folder</source>
            <translation>der Ordner '{path}' ist nicht lesbar: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_replace</source>
            <translation>'{path}' lässt sich nicht ersetzen: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_start</source>
            <translation>'{path}' lässt sich nicht starten: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_sync</source>
            <translation>'{path}' lässt sich nicht auf die Platte schreiben: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_take_commands_at</source>
            <translation>an '{path}' lassen sich keine Befehle anderer Programme annehmen: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_wait_for</source>
            <translation>auf '{path}' kann nicht gewartet werden: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_write</source>
            <translation>'{path}' ist nicht schreibbar: {reason}</translation>
        </message>
        <message>
            <source>base.cannot_write_into_folder</source>
            <translation>in den Ordner '{path}' kann nicht geschrieben werden: {reason}</translation>
        </message>
        <message>
            <source>base.did_you_mean</source>
            <translation>gemeint war vielleicht '{nearest}'?</translation>
        </message>
        <message>
            <source>base.disk_full_for_path</source>
            <translation>die Platte von '{path}' ist voll ({needed:bytes} gebraucht, {free:bytes} frei); Platz schaffen: {message}</translation>
        </message>
        <message>
            <source>base.file_larger_than_limit</source>
            <translation>'{path}' ist größer als {limit} Bytes</translation>
        </message>
        <message>
            <source>base.folder_lacks_tensor</source>
            <translation>der Ordner hat keinen Tensor "{name}"; ein BERT dieser Form braucht ihn</translation>
        </message>
        <message>
            <source>base.followed_by</source>
            <translation>{first}; {second}</translation>
        </message>
        <message>
            <source>base.in_context</source>
            <translation>{where}: {message}</translation>
        </message>
        <message>
            <source>base.json_cannot_be_read</source>
            <translation>das JSON ist nicht lesbar: {reason}</translation>
        </message>
        <message>
            <source>base.json_has_too_many_values</source>
            <translation>es enthält mehr als {limit} Werte</translation>
        </message>
        <message>
            <source>base.json_holds_zero_byte</source>
            <translation>das JSON enthält ein Nullbyte</translation>
        </message>
        <message>
            <source>base.json_name_given_twice</source>
            <translation>den Namen "{name}" gibt es zweimal</translation>
        </message>
        <message>
            <source>base.json_nested_too_deeply</source>
            <translation>es ist mehr als {limit} Ebenen tief geschachtelt</translation>
        </message>
        <message>
            <source>base.json_not_allowed</source>
            <translation>das JSON ist nicht erlaubt: {reason}</translation>
        </message>
        <message>
            <source>base.json_too_large</source>
            <translation>es hat mehr als {limit} Bytes</translation>
        </message>
        <message>
            <source>base.line_has_bidi_control</source>
            <translation>enthält ein Zeichen, das die Textrichtung umkehrt; es weglassen</translation>
        </message>
        <message>
            <source>base.line_has_control_character</source>
            <translation>enthält ein Steuerzeichen; druckbare Zeichen nehmen</translation>
        </message>
        <message>
            <source>base.line_is_invalid_utf8</source>
            <translation>ist kein gültiges UTF-8; in dieser Kodierung schreiben</translation>
        </message>
        <message>
            <source>base.line_too_long</source>
            <translation>hat {size} Bytes; erlaubt sind höchstens {limit}</translation>
        </message>
        <message>
            <source>base.list_items</source>
            <translation>{first}, {second}</translation>
        </message>
        <message>
            <source>base.list_noun</source>
            <translation>eine Liste</translation>
        </message>
        <message>
            <source>base.mapped_file_changed_in_use</source>
            <translation>'{path}' wurde während der Benutzung verändert, gekürzt oder unlesbar; nichts anderes hineinschreiben lassen und neu beginnen</translation>
        </message>
        <message>
            <source>base.mapped_path_not_regular_file</source>
            <translation>'{path}' ist keine gewöhnliche Datei</translation>
        </message>
        <message>
            <source>base.not_plain_file</source>
            <translation>'{path}' ist keine gewöhnliche Datei</translation>
        </message>
        <message>
            <source>base.not_plain_file_name</source>
            <translation>'{name}' ist kein gewöhnlicher Dateiname</translation>
        </message>
        <message>
            <source>base.not_plain_folder</source>
            <translation>'{path}' ist kein gewöhnlicher Ordner</translation>
        </message>
        <message>
            <source>base.nothing_noun</source>
            <translation>nichts</translation>
        </message>
        <message>
            <source>base.number_noun</source>
            <translation>eine Zahl</translation>
        </message>
        <message>
            <source>base.object_noun</source>
            <translation>ein Objekt</translation>
        </message>
        <message>
            <source>base.path_is_folder_not_file</source>
            <translation>'{path}' ist ein Ordner, gebraucht wird eine Datei</translation>
        </message>
        <message>
            <source>base.path_is_special_file</source>
            <translation>'{path}' ist ein Gerät, eine Pipe oder ein Socket; gebraucht wird eine Datei</translation>
        </message>
        <message>
            <source>base.stored_clock_not_number</source>
            <translation>ist keine Zahl</translation>
        </message>
        <message>
            <source>base.stored_value_missing</source>
            <translation>fehlt</translation>
        </message>
        <message>
            <source>base.system_file_exists</source>
            <translation>existiert schon</translation>
        </message>
        <message>
            <source>base.system_file_too_large</source>
            <translation>Datei zu groß</translation>
        </message>
        <message>
            <source>base.system_input_output</source>
            <translation>Ein-/Ausgabefehler</translation>
        </message>
        <message>
            <source>base.system_is_directory</source>
            <translation>ist ein Ordner</translation>
        </message>
        <message>
            <source>base.system_no_memory</source>
            <translation>kein Speicher mehr</translation>
        </message>
        <message>
            <source>base.system_no_space</source>
            <translation>kein Platz mehr auf der Platte</translation>
        </message>
        <message>
            <source>base.system_no_such_file</source>
            <translation>Datei oder Ordner fehlt</translation>
        </message>
        <message>
            <source>base.system_not_directory</source>
            <translation>ist kein Ordner</translation>
        </message>
        <message>
            <source>base.system_permission_denied</source>
            <translation>keine Berechtigung</translation>
        </message>
        <message>
            <source>base.system_quota_exceeded</source>
            <translation>Speicherkontingent überschritten</translation>
        </message>
        <message>
            <source>base.system_read_only</source>
            <translation>nur lesbares Dateisystem</translation>
        </message>
        <message>
            <source>base.system_too_many_links</source>
            <translation>zu viele symbolische Verweise</translation>
        </message>
        <message>
            <source>base.system_too_many_open_files</source>
            <translation>zu viele offene Dateien</translation>
        </message>
        <message>
            <source>base.text_noun</source>
            <translation>ein Text</translation>
        </message>
        <message>
            <source>base.unit_bytes</source>
            <translation>Bytes</translation>
        </message>
        <message>
            <source>base.unit_checkpoints</source>
            <translation>Checkpoints</translation>
        </message>
        <message>
            <source>base.unit_evaluations</source>
            <translation>Auswertungen</translation>
        </message>
        <message>
            <source>base.unit_features</source>
            <translation>Merkmale</translation>
        </message>
        <message>
            <source>base.unit_global_batches</source>
            <translation>globale Batches</translation>
        </message>
        <message>
            <source>base.unit_heads</source>
            <translation>Köpfe</translation>
        </message>
        <message>
            <source>base.unit_layers</source>
            <translation>Schichten</translation>
        </message>
        <message>
            <source>base.unit_medians</source>
            <translation>Mediane</translation>
        </message>
        <message>
            <source>base.unit_nats</source>
            <translation>Nats</translation>
        </message>
        <message>
            <source>base.unit_per_step</source>
            <translation>je Schritt</translation>
        </message>
        <message>
            <source>base.unit_pieces</source>
            <translation>Stücke</translation>
        </message>
        <message>
            <source>base.unit_samples</source>
            <translation>Beispiele</translation>
        </message>
        <message>
            <source>base.unit_seconds</source>
            <translation>Sekunden</translation>
        </message>
        <message>
            <source>base.unit_sequences</source>
            <translation>Sequenzen</translation>
        </message>
        <message>
            <source>base.unit_standard_deviations</source>
            <translation>Standardabweichungen</translation>
        </message>
        <message>
            <source>base.unit_steps</source>
            <translation>Schritte</translation>
        </message>
        <message>
            <source>base.unit_threads</source>
            <translation>Threads</translation>
        </message>
        <message>
            <source>base.unit_times</source>
            <translation>Mal</translation>
        </message>
        <message>
            <source>base.unit_tokens</source>
            <translation>Tokens</translation>
        </message>
        <message>
            <source>base.weights_tensor_shape_mismatch</source>
            <translation>Tensor "{name}" des Ordners hat die Form {found}, das Modell braucht {expected}</translation>
        </message>
        <message>
            <source>base.workspace_link_not_followed</source>
            <translation>'{path}' ist ein Verweis, dem innerhalb eines Arbeitsbereichs nicht gefolgt wird; die Datei oder den Ordner selbst dorthin legen (der Arbeitsbereich als Ganzes darf ein Verweis sein)</translation>
        </message>
        <message>
            <source>batch.data_holds_no_sample</source>
            <translation>enthält kein Beispiel; Text angeben, der nicht leer ist</translation>
        </message>
        <message>
            <source>batch.data_sample_count_changed</source>
            <translation>hat {found:integer} {found?Beispiel|Beispiele}, beim Start des Laufs waren es {expected}; mit denselben Daten fortsetzen, oder den Lauf abzweigen</translation>
        </message>
        <message>
            <source>batch.data_samples_have_zero_tokens</source>
            <translation>{count:integer} {count?Beispiel hat 0 Tokens|Beispiele haben alle 0 Tokens}; ihre Längen angeben</translation>
        </message>
        <message>
            <source>batch.data_too_large_to_count</source>
            <translation>{count} Beispiele bis {longest} Tokens sind mehr als zählbar (eine Epoche hat weniger als 2^50 Beispiele und 2^61 Tokens); weniger oder kürzere Beispiele angeben</translation>
        </message>
        <message>
            <source>batch.device_memory_limit_too_small</source>
            <translation>{limit} Bytes lassen keinen Platz; die Bytes eines Geräts angeben</translation>
        </message>
        <message>
            <source>batch.epoch_has_no_full_pack</source>
            <translation>Epoche {epoch} hat kein Paket von {count:integer} {count?Beispiel|Beispielen} innerhalb von max_tokens {limit}; ein größeres max_tokens nehmen, oder on_small_pack: keep</translation>
        </message>
        <message>
            <source>batch.growth_forecast_depends_on_run</source>
            <translation>die Größen ab {place} hängen vom Lauf ab; gezeigt, als blieben sie</translation>
        </message>
        <message>
            <source>batch.growth_function_result</source>
            <translation>die Funktion verlangt {value:exact}</translation>
        </message>
        <message>
            <source>batch.growth_function_result_invalid</source>
            <translation>'{expression}' ergibt {value:exact} bei epoch {epoch}, current_batch_size {size}; ein Batch hat 1 oder mehr und weniger als 2^50</translation>
        </message>
        <message>
            <source>batch.growth_functions_both_given</source>
            <translation>increase_function ist auch angegeben; eines davon behalten</translation>
        </message>
        <message>
            <source>batch.growth_interval_beyond_run_end</source>
            <translation>das Wachstum wird erst nach {interval} gefragt, und der Lauf endet vorher</translation>
        </message>
        <message>
            <source>batch.growth_interval_in_seconds</source>
            <translation>{interval} ist in Sekunden; ep, ba, sp, tok oder dur nehmen</translation>
        </message>
        <message>
            <source>batch.growth_interval_not_positive</source>
            <translation>{interval} ist nicht über 0; 1ep nehmen</translation>
        </message>
        <message>
            <source>batch.growth_limited_by_device_memory</source>
            <translation>die Funktion verlangt {requested}, und {limit} ist das Größte, das die Geräte fassen (batch.growth.bound)</translation>
        </message>
        <message>
            <source>batch.growth_loss_not_available</source>
            <translation>es gibt noch keinen Verlust</translation>
        </message>
        <message>
            <source>batch.growth_never_changes_size</source>
            <translation>jede Antwort ist die Größe, die schon gilt, {size}, darum wächst der Batch nie</translation>
        </message>
        <message>
            <source>batch.growth_noise_scale_not_measured</source>
            <translation>die Rauschskala ist noch nicht gemessen</translation>
        </message>
        <message>
            <source>batch.growth_shrink_refused</source>
            <translation>die Funktion verlangt {size}, was kleiner ist; batch.growth.allow_decrease erlaubt das</translation>
        </message>
        <message>
            <source>batch.growth_size_unchanged</source>
            <translation>{reason}; die Größe bleibt {size}</translation>
        </message>
        <message>
            <source>batch.growth_starts_after_run_end</source>
            <translation>das Wachstum wird erst nach dem Anstieg gefragt, und der Lauf endet vorher</translation>
        </message>
        <message>
            <source>batch.growth_too_frequent_to_forecast</source>
            <translation>zu oft gefragt, um jede Größe vorherzusehen; gezeigt, als bliebe die Größe ab {place}</translation>
        </message>
        <message>
            <source>batch.kept_lengths_count_differs</source>
            <translation>hat {found} Längen, die Daten haben {expected} Beispiele</translation>
        </message>
        <message>
            <source>batch.kept_lengths_from_other_data</source>
            <translation>'{path}' {difference}: aus anderen Daten gemacht; die Datei löschen, dann entsteht sie neu, oder eine andere nennen</translation>
        </message>
        <message>
            <source>batch.kept_lengths_need_wider_file</source>
            <translation>'{path}' fasst Längen bis 65535, die Daten haben eine von {longest}; einen Namen mit der Endung .u32 angeben</translation>
        </message>
        <message>
            <source>batch.kept_lengths_sample_differs</source>
            <translation>gibt Beispiel {sample} {found} Tokens, die Daten {expected}</translation>
        </message>
        <message>
            <source>batch.lengths_file_entry_invalid</source>
            <translation>'{path}', {place}: '{found}' ist keine Länge; ganze Zahlen von 0 bis 4294967295 nehmen</translation>
        </message>
        <message>
            <source>batch.lengths_file_entry_place</source>
            <translation>Eintrag {index}</translation>
        </message>
        <message>
            <source>batch.lengths_file_line_place</source>
            <translation>Zeile {line}</translation>
        </message>
        <message>
            <source>batch.lengths_file_not_json_array</source>
            <translation>'{path}' ist keine JSON-Liste von Längen</translation>
        </message>
        <message>
            <source>batch.lengths_file_size_uneven</source>
            <translation>'{path}' hat {size} Bytes, das ist keine ganze Zahl von Längen; jede braucht {lengthSize}</translation>
        </message>
        <message>
            <source>batch.mask_rate_needs_counted_run</source>
            <translation>ändert sich über den Lauf, und wie lang ein Lauf von {duration} ist, zeigt sich erst, während er läuft; geben Sie max_duration in ba, sp, tok oder ep an, oder lassen Sie dies weg</translation>
        </message>
        <message>
            <source>batch.max_duration_needs_data_length</source>
            <translation>{duration} braucht Daten bekannter Länge; ba, sp oder tok nehmen</translation>
        </message>
        <message>
            <source>batch.maximum_batch_size_excludes_stages</source>
            <translation>batch.rampup.stages ist auch angegeben, und deren letzte Größe ist der globale Batch; eines von beiden behalten</translation>
        </message>
        <message>
            <source>batch.memory_reserve_out_of_range</source>
            <translation>{value:exact} liegt nicht in [0, 1); 0.1 nehmen</translation>
        </message>
        <message>
            <source>batch.pack_groups_split_by_growth</source>
            <translation>Pakete gleichen sich in Gruppen von {count}; growth macht globale Batches anderer Größe, die Teile mehrerer Gruppen enthalten</translation>
        </message>
        <message>
            <source>batch.pack_groups_split_by_rampup</source>
            <translation>Pakete gleichen sich in Gruppen von {count}; der Anstieg macht globale Batches anderer Größe, die Teile mehrerer Gruppen enthalten</translation>
        </message>
        <message>
            <source>batch.pack_minimum_above_pack_maximum</source>
            <translation>{value} ist größer als max_batch_size {limit}; eine kleinere nehmen</translation>
        </message>
        <message>
            <source>batch.pack_sample_limit_negative</source>
            <translation>{value} ist negativ; 1 oder mehr nehmen, 0 für keine Grenze</translation>
        </message>
        <message>
            <source>batch.plan_device_count_too_large</source>
            <translation>{count} ist größer als {limit}, so viel kann höchstens geplant werden</translation>
        </message>
        <message>
            <source>batch.plan_epoch_lacks_unit</source>
            <translation>Epoche {epoch} hat keine Einheit an Stelle {unit}</translation>
        </message>
        <message>
            <source>batch.plan_epoch_lacks_units</source>
            <translation>Epoche {epoch} hat keine Einheiten {first} bis {last}</translation>
        </message>
        <message>
            <source>batch.plan_epoch_too_far_ahead</source>
            <translation>--epoch: {epoch} liegt zu weit voraus; eine kleinere nehmen</translation>
        </message>
        <message>
            <source>batch.plan_growth_bound_not_known</source>
            <translation>was die Geräte fassen, stellt sich beim Start heraus; das Wachstum ist gezeigt, als begrenze es nichts</translation>
        </message>
        <message>
            <source>batch.plan_growth_unbounded_on_cpu</source>
            <translation>der Prozessor hat keine Grenze, an die das Wachstum stoßen könnte; devices.memory_limit setzen, um es zu begrenzen</translation>
        </message>
        <message>
            <source>batch.plan_held_rate_not_known</source>
            <translation>die ab {time} gehaltene Rate ist die eines Laufs, dessen Batch nicht wächst: das Wachstum hängt vom Lauf ab; mit --stretch wird der Zeitplan neu geplant</translation>
        </message>
        <message>
            <source>batch.plan_learning_rate_is_zero</source>
            <translation>ist 0, also ändert sich kein Gewicht; die Faktoren sind gezeigt, als wäre es anders</translation>
        </message>
        <message>
            <source>batch.plan_maximum_batch_not_known</source>
            <translation>der größte Batch wird beim Start gefunden; gezeigt mit {size}</translation>
        </message>
        <message>
            <source>batch.plan_microbatch_size_not_known</source>
            <translation>auto wird beim Start gefunden; gezeigt, als ob {size} passten</translation>
        </message>
        <message>
            <source>batch.plan_pack_totals_omitted</source>
            <translation>der Lauf ist zu lang, um seine Pakete vorher zu zählen; Summen fehlen</translation>
        </message>
        <message>
            <source>batch.plan_position_inconsistent</source>
            <translation>der globale Batch {batch} kann nach {unit} Einheiten der Epoche nicht in seinem Teil {part} sein</translation>
        </message>
        <message>
            <source>batch.plan_sequence_limit_below_longest</source>
            <translation>{limit} ist weniger als die größte der angegebenen Längen, {longest}; damit vorbereitete Daten haben keine solchen Beispiele</translation>
        </message>
        <message>
            <source>batch.plan_time_too_far_ahead</source>
            <translation>--at: {time} liegt zu weit voraus; nach einer früheren Stelle fragen</translation>
        </message>
        <message>
            <source>batch.plan_value_below_one</source>
            <translation>{value} ist kleiner als 1; 1 oder mehr nehmen</translation>
        </message>
        <message>
            <source>batch.rampup_duration_missing</source>
            <translation>fehlt; die Länge des Anstiegs angeben, zum Beispiel 0.1dur, oder eine Tabelle von Stufen, oder Anfangsgröße und Zuwachs auf auto setzen, um ohne Anstieg zu trainieren</translation>
        </message>
        <message>
            <source>batch.rampup_duration_resolves_to_zero</source>
            <translation>{duration} ist aufgelöst 0; es gibt keinen Anstieg</translation>
        </message>
        <message>
            <source>batch.rampup_field_above_target</source>
            <translation>{value} ist größer als batch.global_train_batch_size {target}; ein Anstieg wächst, eine kleinere Größe nehmen</translation>
        </message>
        <message>
            <source>batch.rampup_first_stage_not_zero</source>
            <translation>{time} ist nicht 0; die erste Stufe gilt von Anfang an</translation>
        </message>
        <message>
            <source>batch.rampup_increment_too_small</source>
            <translation>{value} ergibt mehr als 100.000 Stufen; einen größeren nehmen</translation>
        </message>
        <message>
            <source>batch.rampup_increment_unused_by_doubling</source>
            <translation>wird von growth: doubling nicht benutzt</translation>
        </message>
        <message>
            <source>batch.rampup_longer_than_run</source>
            <translation>{duration} ist länger als der Lauf ({runLength}), der Anstieg endet also nie</translation>
        </message>
        <message>
            <source>batch.rampup_never_ends</source>
            <translation>der Anstieg endet in keinem Lauf, der sich zählen lässt</translation>
        </message>
        <message>
            <source>batch.rampup_splits_batch_too_often</source>
            <translation>ein globaler Batch von {size} würde in {count} Schritten von {stepSize} trainiert; höchstens {limit} sind möglich, also mit einer größeren Größe beginnen</translation>
        </message>
        <message>
            <source>batch.rampup_stage_out_of_order</source>
            <translation>{time} kommt nicht nach {previous} der Stufe davor; die Stufen der Reihe nach angeben</translation>
        </message>
        <message>
            <source>batch.rampup_stage_smaller_than_previous</source>
            <translation>{size} ist kleiner als die Stufe davor</translation>
        </message>
        <message>
            <source>batch.rampup_stage_unit_differs</source>
            <translation>{time} ist in einer anderen Einheit gezählt als {previous} der Stufe davor; eine Einheit nehmen</translation>
        </message>
        <message>
            <source>batch.rampup_stages_exclude_other_fields</source>
            <translation>duration, initial_global_train_batch_size oder increment ist auch angegeben; die Tabelle allein behalten</translation>
        </message>
        <message>
            <source>batch.rampup_starts_at_full_size</source>
            <translation>die Anfangsgröße ist die volle Größe {size}, also hat der Anstieg nur eine Stufe und ändert nichts; eine kleinere Anfangsgröße angeben</translation>
        </message>
        <message>
            <source>batch.row_exceeds_device_memory</source>
            <translation>eine Zeile von {tokens} Tokens braucht {needed:bytes}, erlaubt sind {allowed:bytes} ({limit:bytes} abzüglich batch.reserve {reserve:exact}); ein kleineres data.max_seq_len oder Modell nehmen, oder weniger Reserve</translation>
        </message>
        <message>
            <source>batch.row_needs_more_than_memory</source>
            <translation>eine Zeile von {tokens} Tokens braucht {needed:bytes} und mehr, erlaubt sind {allowed:bytes} ({limit:bytes} abzüglich batch.reserve {reserve:exact}); ein kleineres data.max_seq_len oder Modell nehmen, oder weniger Reserve</translation>
        </message>
        <message>
            <source>batch.run_ends_before_stages</source>
            <translation>der Lauf endet vor den letzten {count} von {total} Stufen</translation>
        </message>
        <message>
            <source>batch.run_stage_end_scales_unevenly</source>
            <translation>mit {ratio:exact} skaliert beginnt die Phase bei {start} und dauert {length}, soll aber bei {end} enden: Bruchteile entfallen, also ergäben die Phasen zusammen nicht den Lauf; ein anderes scale_schedule_ratio oder andere Enden wählen</translation>
        </message>
        <message>
            <source>batch.run_stage_ends_before_its_start</source>
            <translation>die Phase würde bei {end} enden, beginnt aber bei {start}, wo der letzte globale Batch der vorigen Phase endet; ein späteres Ende angeben, oder der vorigen Phase kleinere Batches</translation>
        </message>
        <message>
            <source>batch.same_pack_group_needs_order</source>
            <translation>braucht packing: in_order, angegeben ist best_fit</translation>
        </message>
        <message>
            <source>batch.same_pack_group_too_large</source>
            <translation>ein globaler Batch von {size} Paketen ist größer als {limit}, so viele können höchstens gleich gepackt werden; batch.global_train_batch_size verkleinern</translation>
        </message>
        <message>
            <source>batch.scaling_reference_batch_size_missing</source>
            <translation>fehlt; mit batch.tokens oder by: tokens muss es die {unit} je Schritt nennen, zu denen optimizer.lr gehört</translation>
        </message>
        <message>
            <source>batch.schedule_expression_factor_invalid</source>
            <translation>ergibt {factor:exact} bei {place}; ein Faktor ist über den ganzen Lauf endlich und nicht negativ</translation>
        </message>
        <message>
            <source>batch.schedule_expression_not_finite</source>
            <translation>ergibt keine endliche Zahl bei {place}; ein Faktor ist über den ganzen Lauf endlich und nicht negativ</translation>
        </message>
        <message>
            <source>batch.schedule_factor_invalid</source>
            <translation>der Faktor ist {factor:value} bei {place}; er muss endlich und darf nicht negativ sein</translation>
        </message>
        <message>
            <source>batch.stored_batch_size_invalid</source>
            <translation>'{found}' ist keine Batchgröße</translation>
        </message>
        <message>
            <source>batch.stored_epoch_count_invalid</source>
            <translation>'{found}' ist keine mögliche Anzahl je Epoche</translation>
        </message>
        <message>
            <source>batch.stored_ramp_start_invalid</source>
            <translation>'{found}' ist nicht lesbar oder kommt nicht nach dem Anfang davor</translation>
        </message>
        <message>
            <source>batch.stored_ramp_starts_count_mismatch</source>
            <translation>es sind nicht so viele wie Größen</translation>
        </message>
        <message>
            <source>batch.stored_rampup_duration_negative</source>
            <translation>ist kleiner als 0</translation>
        </message>
        <message>
            <source>batch.stored_samples_per_epoch_missing</source>
            <translation>data.samples_per_epoch des gespeicherten Laufs fehlt; von einem anderen Checkpoint fortsetzen</translation>
        </message>
        <message>
            <source>batch.stored_value_invalid</source>
            <translation>gespeicherter Wert {name}: {reason}</translation>
        </message>
        <message>
            <source>batch.stored_value_not_positive</source>
            <translation>'{found}' ist nicht größer als 0</translation>
        </message>
        <message>
            <source>batch.stored_value_unreadable</source>
            <translation>'{found}' ist nicht lesbar</translation>
        </message>
        <message>
            <source>batch.token_budget_below_every_sample</source>
            <translation>{value} ist kleiner als jedes Beispiel (das kürzeste hat {shortest} Tokens); mindestens {longest} nehmen</translation>
        </message>
        <message>
            <source>batch.token_budget_below_one</source>
            <translation>{value} ist kleiner als 1; mindestens data.max_seq_len nehmen</translation>
        </message>
        <message>
            <source>batch.token_budget_needs_sample_lengths</source>
            <translation>Pakete brauchen die Längen der Beispiele; die Daten angeben</translation>
        </message>
        <message>
            <source>checkpoint.checkpoint_just_written</source>
            <translation>der eben geschriebene Checkpoint</translation>
        </message>
        <message>
            <source>checkpoint.checkpoint_not_saved_elsewhere</source>
            <translation>{problem}; er lässt sich auch anderswo nicht aufheben: {reason}</translation>
        </message>
        <message>
            <source>checkpoint.checkpoint_tensor_shape_invalid</source>
            <translation>Tensor {name} hat eine unmögliche Form</translation>
        </message>
        <message>
            <source>checkpoint.checkpoint_tensor_size_mismatch</source>
            <translation>Tensor {name} hat {found} Bytes, seine Form braucht {expected}</translation>
        </message>
        <message>
            <source>checkpoint.checkpoint_tensor_type_unknown</source>
            <translation>Tensor {name} hat den unbekannten Typ '{type}'</translation>
        </message>
        <message>
            <source>checkpoint.checkpoint_tensor_type_unsupported</source>
            <translation>Tensor {name} hat einen Typ, den Checkpoints nicht kennen</translation>
        </message>
        <message>
            <source>checkpoint.checkpoint_write_failed</source>
            <translation>der Checkpoint konnte nicht geschrieben werden: {reason}</translation>
        </message>
        <message>
            <source>checkpoint.writing_the_checkpoint</source>
            <translation>beim Schreiben des Checkpoints</translation>
        </message>
        <message>
            <source>config.assignment_form_invalid</source>
            <translation>'{found}' hat nicht die Form Name=Wert, wie optimizer.lr=1e-3</translation>
        </message>
        <message>
            <source>config.assignment_value_has_several_documents</source>
            <translation>der Wert enthält mehr als ein YAML-Dokument</translation>
        </message>
        <message>
            <source>config.config_changes_document_invalid</source>
            <translation>ein zweites YAML-Dokument enthält Änderungen der Form 'optimizer.lr: 1e-3', dies ist {found}</translation>
        </message>
        <message>
            <source>config.config_field_below_unknown_section</source>
            <translation>unbekanntes Feld: es gibt keinen Abschnitt '{parent}'</translation>
        </message>
        <message>
            <source>config.config_field_below_value</source>
            <translation>unbekanntes Feld: '{parent}' ist ein Wert, kein Abschnitt</translation>
        </message>
        <message>
            <source>config.config_field_given_twice</source>
            <translation>ist zweimal angegeben, zuerst in Zeile {line}; einen davon behalten</translation>
        </message>
        <message>
            <source>config.config_field_twice_in_section</source>
            <translation>steht zweimal im selben Abschnitt; einen davon behalten</translation>
        </message>
        <message>
            <source>config.config_field_unknown</source>
            <translation>unbekanntes Feld</translation>
        </message>
        <message>
            <source>config.config_field_unknown_did_you_mean</source>
            <translation>unbekanntes Feld; gemeint war vielleicht '{nearest}'?</translation>
        </message>
        <message>
            <source>config.config_file_is_empty</source>
            <translation>ist leer; eine Konfiguration nennt mindestens die Daten und was von den Standardwerten abweicht</translation>
        </message>
        <message>
            <source>config.config_file_unavailable</source>
            <translation>{message}; eine YAML-Datei angeben, oder 'demo' für die mitgelieferte</translation>
        </message>
        <message>
            <source>config.config_global_batch_size_unused</source>
            <translation>{size} wird nicht benutzt; die letzte Größe von batch.rampup.stages, {lastSize}, ist der globale Batch</translation>
        </message>
        <message>
            <source>config.config_has_second_document</source>
            <translation>vor dieser Zeile beginnt ein zweites YAML-Dokument; eine Konfiguration ist eines, ohne '---' darin (so folgt dem gespeicherten Text eines Laufs, was beim Fortsetzen geändert wurde: es in den Text schreiben)</translation>
        </message>
        <message>
            <source>config.config_name_meaningless_here</source>
            <translation>hat hier keine Bedeutung; siehe den Befehl batches</translation>
        </message>
        <message>
            <source>config.config_root_not_section</source>
            <translation>enthält {found}, erwartet wird ein Abschnitt der Form 'Name: Wert'</translation>
        </message>
        <message>
            <source>config.config_section_expected</source>
            <translation>{found} ist kein Abschnitt mit {known}</translation>
        </message>
        <message>
            <source>config.config_section_name_invalid</source>
            <translation>hat einen Namen, der {found} ist; erwartet wird ein einfacher Name</translation>
        </message>
        <message>
            <source>config.config_yaml_cannot_be_read</source>
            <translation>dieses YAML ist nicht lesbar: {reason}</translation>
        </message>
        <message>
            <source>config.cpu_device_count_invalid</source>
            <translation>verlangt {count} Geräte; cpu:N sind N Geräte auf dem Prozessor, 1 bis {limit}, und cpu ist eines</translation>
        </message>
        <message>
            <source>config.cpu_device_has_several_numbers</source>
            <translation>hat mehrere Zahlen; cpu:N nimmt eine, die Zahl der Geräte auf dem Prozessor</translation>
        </message>
        <message>
            <source>config.deep_post_norm_often_diverges</source>
            <translation>{count} Schichten mit norm: post divergieren oft, weil die Gradienten zu den letzten Schichten hin wachsen (Xiong et al. 2020); norm: pre ist über {limit} Schichten stabiler, ebenso ein layer_norm_eps von 1e-5</translation>
        </message>
        <message>
            <source>config.deepspeed_adam_decays_as_adamw</source>
            <translation>Adam von DeepSpeed lässt Gewichte wie AdamW abnehmen, außer adam_w_mode ist false</translation>
        </message>
        <message>
            <source>config.deepspeed_auto_needs_number</source>
            <translation>wird von dem Programm eingesetzt, das DeepSpeed startet; die Zahl angeben</translation>
        </message>
        <message>
            <source>config.deepspeed_budget_needs_max_tokens</source>
            <translation>ohne max_tokens gibt es kein Budget</translation>
        </message>
        <message>
            <source>config.deepspeed_budget_truncated</source>
            <translation>auf eine ganze Zahl gekürzt, wie bei DeepSpeed</translation>
        </message>
        <message>
            <source>config.deepspeed_cosine_falls_earlier</source>
            <translation>bei DeepSpeed fällt er einen Schritt früher</translation>
        </message>
        <message>
            <source>config.deepspeed_default_overrides_optimizer_rate</source>
            <translation>der Standardwert von DeepSpeed, der an die Stelle von lr des Optimierers tritt</translation>
        </message>
        <message>
            <source>config.deepspeed_dynamic_batching_is_off</source>
            <translation>dynamic_batching ist aus</translation>
        </message>
        <message>
            <source>config.deepspeed_microbatch_is_one_pack</source>
            <translation>mit Tokenbudget rechnet ein Gerät ein Paket auf einmal</translation>
        </message>
        <message>
            <source>config.deepspeed_no_schedule_begins_above_zero</source>
            <translation>kein benannter Plan beginnt über 0</translation>
        </message>
        <message>
            <source>config.deepspeed_no_schedule_rises_logarithmically</source>
            <translation>kein benannter Plan steigt mit dem Logarithmus</translation>
        </message>
        <message>
            <source>config.deepspeed_optimizer_not_adamw</source>
            <translation>der Optimierer ist hier adamw, mit entkoppelter Gewichtsabnahme; Lernrate und betas dafür prüfen</translation>
        </message>
        <message>
            <source>config.deepspeed_precision_is_off</source>
            <translation>ist aus und ändert nichts</translation>
        </message>
        <message>
            <source>config.deepspeed_scaling_reference_counts_packs</source>
            <translation>DeepSpeed vergleicht die Beispiele eines Schritts mit train_batch_size, das auch die Pakete zählt</translation>
        </message>
        <message>
            <source>config.deepspeed_schedule_length_sets_duration</source>
            <translation>als Länge des Laufs gilt die des Plans</translation>
        </message>
        <message>
            <source>config.deepspeed_scheduler_rate_used</source>
            <translation>stattdessen gilt warmup_max_lr aus scheduler</translation>
        </message>
        <message>
            <source>config.deepspeed_schedules_known</source>
            <translation>von den Plänen von DeepSpeed sind WarmupLR, WarmupDecayLR und WarmupCosineLR bekannt</translation>
        </message>
        <message>
            <source>config.deepspeed_sizes_count_packs</source>
            <translation>ein Gerät rechnet ein Paket auf einmal; Größen zählen Pakete</translation>
        </message>
        <message>
            <source>config.deepspeed_small_pack_discarded</source>
            <translation>wie dokumentiert; der Code von DeepSpeed hört dort auf zu packen und verliert den Rest</translation>
        </message>
        <message>
            <source>config.deepspeed_step_counts_give_no_schedule</source>
            <translation>seine Schrittzahlen ergeben keinen Plan: total_num_steps muss über warmup_num_steps liegen, und das über 1</translation>
        </message>
        <message>
            <source>config.deepspeed_value_overrides_optimizer_rate</source>
            <translation>es tritt an die Stelle von lr des Optimierers</translation>
        </message>
        <message>
            <source>config.deepspeed_value_truncated</source>
            <translation>'{value}' wird auf {used} gekürzt, wie bei DeepSpeed</translation>
        </message>
        <message>
            <source>config.demo_format_excludes_text</source>
            <translation>nennt Text, und data.format ist demo, das sich selbst Text macht; data.format auf text, lines oder jsonl setzen, oder {field} leer lassen</translation>
        </message>
        <message>
            <source>config.device_name_invalid</source>
            <translation>ist kein Gerät; auto, cpu, cpu:4 (vier Geräte auf dem Prozessor), cuda (alle GPUs) oder cuda:0,1 (GPUs nach Nummer) angeben</translation>
        </message>
        <message>
            <source>config.device_named_twice</source>
            <translation>nennt ein Gerät zweimal</translation>
        </message>
        <message>
            <source>config.document_separator_required</source>
            <translation>ist aus, sodass nichts zeigt, wo ein Dokument endet; lassen Sie es an, oder setzen Sie data.attention_across_documents</translation>
        </message>
        <message>
            <source>config.dynamic_batching_is_off</source>
            <translation>ist aus (enabled ist nicht true, wie bei DeepSpeed voreingestellt) und ändert nichts</translation>
        </message>
        <message>
            <source>config.dynamic_batching_not_section</source>
            <translation>{found} ist kein Abschnitt mit enabled, max_tokens, …</translation>
        </message>
        <message>
            <source>config.dynamic_batching_section_empty</source>
            <translation>ist leer; einen Abschnitt mit enabled, max_tokens, ... angeben</translation>
        </message>
        <message>
            <source>config.early_stop_needs_evaluation_data</source>
            <translation>{action} braucht Daten zum Auswerten; data.eval angeben, oder data.holdout über 0, oder off nehmen</translation>
        </message>
        <message>
            <source>config.early_stop_needs_evaluation_interval</source>
            <translation>{action} braucht Auswertungen, und eval.interval ist leer; einen Abstand angeben, oder off nehmen</translation>
        </message>
        <message>
            <source>config.eval_set_name_invalid</source>
            <translation>ist kein Name für einen Satz: 1 bis 40 Buchstaben, Ziffern, - und _</translation>
        </message>
        <message>
            <source>config.eval_set_name_reserved</source>
            <translation>{name} heißt der Text, der aus data.eval oder dem zurückgehaltenen Anteil neben den anderen steht; wählen Sie einen anderen Namen</translation>
        </message>
        <message>
            <source>config.eval_set_without_text</source>
            <translation>nennt keinen Text; Dateien, Ordner oder Muster angeben</translation>
        </message>
        <message>
            <source>config.evaluation_interval_has_no_effect</source>
            <translation>hat keine Wirkung, denn es gibt nichts zum Auswerten: data.eval nennt keinen Text, und data.holdout ist 0; eines davon angeben</translation>
        </message>
        <message>
            <source>config.example_or</source>
            <translation>{first} oder {second}</translation>
        </message>
        <message>
            <source>config.expected_above</source>
            <translation>{expected}, über {minimum}</translation>
        </message>
        <message>
            <source>config.expected_at_least</source>
            <translation>{expected}, mindestens {minimum}</translation>
        </message>
        <message>
            <source>config.expected_at_most</source>
            <translation>{expected}, höchstens {maximum}</translation>
        </message>
        <message>
            <source>config.expected_below</source>
            <translation>{expected}, unter {maximum}</translation>
        </message>
        <message>
            <source>config.expected_bytes</source>
            <translation>eine Größe in Bytes, etwa 512MiB oder 8GB</translation>
        </message>
        <message>
            <source>config.expected_eval_sets</source>
            <translation>Namen mit ihren Texten, wie {{own: [own.txt], general: {{text: [wiki.txt], weight: 0.5}}</translation>
        </message>
        <message>
            <source>config.expected_number_of</source>
            <translation>eine Zahl ({unit})</translation>
        </message>
        <message>
            <source>config.expected_number_per_step</source>
            <translation>eine Zahl je Schritt</translation>
        </message>
        <message>
            <source>config.expected_numbers</source>
            <translation>eine Liste von Zahlen</translation>
        </message>
        <message>
            <source>config.expected_one_of</source>
            <translation>eines von {choices}</translation>
        </message>
        <message>
            <source>config.expected_or_list</source>
            <translation>{expected}, oder eine Liste davon</translation>
        </message>
        <message>
            <source>config.expected_or_word</source>
            <translation>{expected}, oder {word}</translation>
        </message>
        <message>
            <source>config.expected_parts</source>
            <translation>eine Liste von Teilen, etwa [{{name: constant, duration: 100ba}, {{name: linear, duration: rest}]</translation>
        </message>
        <message>
            <source>config.expected_run_stages</source>
            <translation>eine Liste von Phasen, wie [{{until: 0.8dur}, {{until: 1dur, data.max_seq_len: 512}]</translation>
        </message>
        <message>
            <source>config.expected_stages</source>
            <translation>eine Liste von Stufen, etwa [{{at: 0ba, global_train_batch_size: 32}]</translation>
        </message>
        <message>
            <source>config.expected_text_or_texts</source>
            <translation>ein Text oder eine Liste von Texten</translation>
        </message>
        <message>
            <source>config.expected_time</source>
            <translation>eine Zeit mit Einheit ({units}), etwa {examples}</translation>
        </message>
        <message>
            <source>config.expected_whole_number</source>
            <translation>eine ganze Zahl</translation>
        </message>
        <message>
            <source>config.expected_whole_number_of</source>
            <translation>eine ganze Zahl ({unit})</translation>
        </message>
        <message>
            <source>config.expected_whole_number_per_step</source>
            <translation>eine ganze Zahl je Schritt</translation>
        </message>
        <message>
            <source>config.field_error_section_names</source>
            <translation>{message}; bekannt in '{section}': {known}</translation>
        </message>
        <message>
            <source>config.field_error_top_level_names</source>
            <translation>{message}; bekannt auf oberster Ebene: {known}</translation>
        </message>
        <message>
            <source>config.field_hint_section_names</source>
            <translation>{message} Bekannt in '{section}': {known}</translation>
        </message>
        <message>
            <source>config.field_hint_top_level_names</source>
            <translation>{message} Bekannt auf oberster Ebene: {known}</translation>
        </message>
        <message>
            <source>config.field_read_from_alias</source>
            <translation>gelesen aus '{path}', einem Namen von {owner}</translation>
        </message>
        <message>
            <source>config.field_read_from_deepspeed_section</source>
            <translation>gelesen aus '{path}', einem Abschnitt von DeepSpeed</translation>
        </message>
        <message>
            <source>config.growth_function_not_set</source>
            <translation>ist nicht gesetzt, darum haben die anderen Felder von batch.growth keine Wirkung</translation>
        </message>
        <message>
            <source>config.maximum_batch_excludes_microbatch</source>
            <translation>geht nicht zusammen mit batch.device_train_microbatch_size: {size:integer}; das auf auto setzen, denn der größte Mikrobatch wird gesucht</translation>
        </message>
        <message>
            <source>config.growth_functions_exclude_each_other</source>
            <translation>geht nicht zusammen mit increase_function; das eine nennt die neue Größe, das andere den Zuwachs</translation>
        </message>
        <message>
            <source>config.heads_do_not_divide_width</source>
            <translation>{heads} Köpfe teilen eine hidden_size von {width} nicht</translation>
        </message>
        <message>
            <source>config.import_batch_size_all_devices</source>
            <translation>dort je Gerät, hier über alle Geräte</translation>
        </message>
        <message>
            <source>config.import_clipping_defaults_to_none</source>
            <translation>ohne diese Angabe wird nichts begrenzt</translation>
        </message>
        <message>
            <source>config.import_composer_algorithms_reason</source>
            <translation>von den algorithms von Composer hat nur gradient_clipping nach Norm ein Feld, optimizer.grad_clip_norm</translation>
        </message>
        <message>
            <source>config.import_composer_autoresume_reason</source>
            <translation>ein Lauf geht mit dem Befehl resume weiter</translation>
        </message>
        <message>
            <source>config.import_composer_batch_rampup_reason</source>
            <translation>siehe batch.rampup</translation>
        </message>
        <message>
            <source>config.import_composer_callbacks_reason</source>
            <translation>Lernrate, Durchsatz, Speicher und Gradientennorm werden immer aufgezeichnet</translation>
        </message>
        <message>
            <source>config.import_composer_compile_config_reason</source>
            <translation>es gibt nichts zu kompilieren</translation>
        </message>
        <message>
            <source>config.import_composer_data_local_reason</source>
            <translation>der Text kommt aus den Dateien, die data.train nennt</translation>
        </message>
        <message>
            <source>config.import_composer_data_remote_reason</source>
            <translation>der Text kommt aus den Dateien, die data.train nennt; Streaming gibt es nicht</translation>
        </message>
        <message>
            <source>config.import_composer_deepspeed_config_reason</source>
            <translation>jedes Gerät hält das ganze Modell; jene Datei für ihre Batch-Einstellungen eigens importieren</translation>
        </message>
        <message>
            <source>config.import_composer_device_train_batch_size_reason</source>
            <translation>folgt aus batch.global_train_batch_size und den Geräten</translation>
        </message>
        <message>
            <source>config.import_composer_dist_timeout_reason</source>
            <translation>vom Startprogramm festgelegt</translation>
        </message>
        <message>
            <source>config.import_composer_eval_loader_reason</source>
            <translation>den Auswertungstext nennt data.eval, oder er wird von data.train zurückgelegt</translation>
        </message>
        <message>
            <source>config.import_composer_eval_subset_num_batches_reason</source>
            <translation>ausgewertet wird ganz data.eval</translation>
        </message>
        <message>
            <source>config.import_composer_evaluators_reason</source>
            <translation>den Auswertungstext nennt data.eval; gemessen werden Verlust und Genauigkeit der maskierten Tokens</translation>
        </message>
        <message>
            <source>config.import_composer_fsdp_config_reason</source>
            <translation>jedes Gerät hält das ganze Modell</translation>
        </message>
        <message>
            <source>config.import_composer_global_eval_batch_size_reason</source>
            <translation>die Auswertung ergibt bei jeder Batchgröße dieselben Zahlen; siehe eval.microbatch_size</translation>
        </message>
        <message>
            <source>config.import_composer_grad_accum_reason</source>
            <translation>die Akkumulation folgt aus batch.device_train_microbatch_size; stattdessen das angeben</translation>
        </message>
        <message>
            <source>config.import_composer_load_path_reason</source>
            <translation>ein Lauf geht mit dem Befehl resume weiter, Gewichte kommen aus model.init_from</translation>
        </message>
        <message>
            <source>config.import_composer_loggers_reason</source>
            <translation>Messwerte kommen in den Arbeitsbereich; export schreibt sie in anderen Formaten</translation>
        </message>
        <message>
            <source>config.import_composer_model_reason</source>
            <translation>die Modelle sind BERT wie veröffentlicht, mit den Optionen der Gruppe model</translation>
        </message>
        <message>
            <source>config.import_composer_optimizer_filter_bias_norm_wd_reason</source>
            <translation>Biases und Layer-Normen sind von der Gewichtsabnahme immer ausgenommen</translation>
        </message>
        <message>
            <source>config.import_composer_optimizer_reason</source>
            <translation>adamw hat keine solche Einstellung</translation>
        </message>
        <message>
            <source>config.import_composer_progress_bar_reason</source>
            <translation>das Terminal zeigt den Fortschritt von selbst</translation>
        </message>
        <message>
            <source>config.import_composer_reset_time_reason</source>
            <translation>der Befehl resume mit --fork beginnt von einem Checkpoint aus neu</translation>
        </message>
        <message>
            <source>config.import_composer_save_folder_reason</source>
            <translation>Checkpoints liegen im Arbeitsbereich (--workspace)</translation>
        </message>
        <message>
            <source>config.import_composer_save_overwrite_reason</source>
            <translation>ein Lauf überschreibt nie die Checkpoints eines anderen</translation>
        </message>
        <message>
            <source>config.import_composer_scheduler_reason</source>
            <translation>kein Plan hat hier diesen Parameter</translation>
        </message>
        <message>
            <source>config.import_composer_spin_dataloaders_reason</source>
            <translation>ein Fortsetzen findet seine Stelle in den Daten, ohne bis dahin zu lesen</translation>
        </message>
        <message>
            <source>config.import_composer_train_loader_dataset_shuffle_seed_reason</source>
            <translation>die Reihenfolge folgt aus seed</translation>
        </message>
        <message>
            <source>config.import_composer_train_loader_drop_last_reason</source>
            <translation>hier fällt kein Beispiel weg: der letzte globale Batch einer Epoche darf kürzer sein</translation>
        </message>
        <message>
            <source>config.import_composer_train_loader_reason</source>
            <translation>der Text kommt aus den Dateien, die data.train nennt, und wird vorbereitet zwischengespeichert</translation>
        </message>
        <message>
            <source>config.import_composer_train_loader_sequence_packing_reason</source>
            <translation>Zeilen fester Länge werden hier nicht gepackt; batch.tokens packt Sequenzen bis zu einer Zahl von Tokens</translation>
        </message>
        <message>
            <source>config.import_composer_train_subset_num_batches_reason</source>
            <translation>eine Epoche enthält ganz data.train; den Lauf mit max_duration kürzen</translation>
        </message>
        <message>
            <source>config.import_composer_variables_reason</source>
            <translation>ein Wert, auf den andere Einstellungen verweisen</translation>
        </message>
        <message>
            <source>config.import_constant_without_scheduler</source>
            <translation>ohne scheduler bleibt die Lernrate gleich</translation>
        </message>
        <message>
            <source>config.import_decay_divided_by_rate</source>
            <translation>{value} geteilt durch lr: ein entkoppelter Optimierer nimmt den Gewichten in einem Schritt weight_decay x lr / (anfängliche lr), adamw hier weight_decay x lr</translation>
        </message>
        <message>
            <source>config.import_decay_not_divisible</source>
            <translation>müsste durch lr geteilt werden, und das ergibt hier keine Zahl</translation>
        </message>
        <message>
            <source>config.import_deepspeed_accumulation</source>
            <translation>{passes} akkumuliert, {devices} Geräte</translation>
        </message>
        <message>
            <source>config.import_deepspeed_amp_reason</source>
            <translation>siehe precision</translation>
        </message>
        <message>
            <source>config.import_deepspeed_communication_data_type_reason</source>
            <translation>Gradienten werden in fp32 summiert</translation>
        </message>
        <message>
            <source>config.import_deepspeed_csv_monitor_reason</source>
            <translation>Messwerte kommen in den Arbeitsbereich; export --csv gibt sie aus</translation>
        </message>
        <message>
            <source>config.import_deepspeed_data_efficiency_data_routing_reason</source>
            <translation>jedes Token geht durch jede Schicht; model.layer_drop lässt ganze Schichten aus</translation>
        </message>
        <message>
            <source>config.import_deepspeed_data_efficiency_data_sampling_curriculum_learning_reason</source>
            <translation>Sequenzen kommen in der Reihenfolge der Daten, gemischt oder nicht</translation>
        </message>
        <message>
            <source>config.import_deepspeed_data_efficiency_data_sampling_dynamic_batching_reason</source>
            <translation>das Tokenbudget hat keine solche Einstellung</translation>
        </message>
        <message>
            <source>config.import_deepspeed_data_efficiency_data_sampling_dynamic_batching_verbose_reason</source>
            <translation>der Befehl batches zeigt jedes Paket</translation>
        </message>
        <message>
            <source>config.import_deepspeed_data_efficiency_reason</source>
            <translation>siehe batch.tokens</translation>
        </message>
        <message>
            <source>config.import_deepspeed_fp16_reason</source>
            <translation>die Verlustskala von fp16 wird im Lauf gefunden</translation>
        </message>
        <message>
            <source>config.import_deepspeed_gradient_accumulation_steps_reason</source>
            <translation>folgt aus den Größen von globalem Batch und Mikrobatch und den Geräten</translation>
        </message>
        <message>
            <source>config.import_deepspeed_prescale_gradients_reason</source>
            <translation>Gradienten werden einmal durch die Zahl der vorhergesagten Tokens geteilt</translation>
        </message>
        <message>
            <source>config.import_default_decay_divided</source>
            <translation>der Standardwert 1e-5, geteilt durch lr</translation>
        </message>
        <message>
            <source>config.import_default_of</source>
            <translation>der Standardwert von {name}</translation>
        </message>
        <message>
            <source>config.import_device_count_missing</source>
            <translation>zählt Beispiele je Gerät, und die Datei sagt nicht, wie viele Geräte es sind; mit --devices importieren</translation>
        </message>
        <message>
            <source>config.import_devices_unknown</source>
            <translation>{counted}; mit --devices importieren, wenn es mehr waren</translation>
        </message>
        <message>
            <source>config.import_document_has_no_section</source>
            <translation>enthält keinen Abschnitt der Form 'Name: Wert'</translation>
        </message>
        <message>
            <source>config.import_format_not_recognized</source>
            <translation>kein Name darin gehört zu Composer, torchtune oder DeepSpeed; wenn die Datei doch von einem davon ist, ihn mit --from nennen</translation>
        </message>
        <message>
            <source>config.import_fresh_weights</source>
            <translation>frische Gewichte</translation>
        </message>
        <message>
            <source>config.import_hub_tokenizer_not_fetched</source>
            <translation>von einem Hub wird nichts geholt; die vocab.txt von dort in einen Ordner legen und ihn in tokenizer.path nennen</translation>
        </message>
        <message>
            <source>config.import_increment_asked_each_epoch</source>
            <translation>der Zuwachs, einmal je Epoche gefragt</translation>
        </message>
        <message>
            <source>config.import_keeps_all_checkpoints</source>
            <translation>alle: so viele, wie behalten werden können</translation>
        </message>
        <message>
            <source>config.import_layer_norm_unsupported</source>
            <translation>Schichten sind hier prenorm oder postnorm</translation>
        </message>
        <message>
            <source>config.import_model_has_no_preset</source>
            <translation>kein preset hat die Größen dieses Modells; sie in der Gruppe model einzeln angeben</translation>
        </message>
        <message>
            <source>config.import_no_field_means_this</source>
            <translation>kein Feld hier bedeutet das</translation>
        </message>
        <message>
            <source>config.import_only_half_cosine_cycle</source>
            <translation>nur ein halber Kosinus, num_cycles 0.5, ist bekannt</translation>
        </message>
        <message>
            <source>config.import_optimizer_not_adamw</source>
            <translation>der Optimierer ist hier adamw; Lernrate und betas dafür prüfen</translation>
        </message>
        <message>
            <source>config.import_plain_number_counts_epochs</source>
            <translation>eine Zahl ohne Einheit zählt Epochen</translation>
        </message>
        <message>
            <source>config.import_precision_unsupported</source>
            <translation>die Formate sind hier fp32, tf32, bf16 und fp16, mit Gewichten in fp32</translation>
        </message>
        <message>
            <source>config.import_preset_sizes_fresh_weights</source>
            <translation>seine Größen, mit frischen Gewichten</translation>
        </message>
        <message>
            <source>config.import_pretrained_weights_need_folder</source>
            <translation>Gewichte werden aus einem Ordner gelesen; ihn in model.init_from nennen</translation>
        </message>
        <message>
            <source>config.import_rampup_grows_evenly</source>
            <translation>ihre Größe wächst um gleiche Beträge</translation>
        </message>
        <message>
            <source>config.import_rampup_needs_minimum_size</source>
            <translation>ohne batch_size_warmup_min_size gibt es keinen Anstieg</translation>
        </message>
        <message>
            <source>config.import_rampup_stages_by_samples</source>
            <translation>Stufen mit gleich vielen Beispielen, dort mit gleich vielen Schritten</translation>
        </message>
        <message>
            <source>config.import_rampup_steps_uncut</source>
            <translation>Stufen mit gleich vielen Beispielen; jeder Schritt hat genau seine Größe, keiner ist verkürzt</translation>
        </message>
        <message>
            <source>config.import_reference_form_unknown</source>
            <translation>eine unbekannte Form; den Wert selbst schreiben</translation>
        </message>
        <message>
            <source>config.import_reference_is_circular</source>
            <translation>was auf sich selbst verweist</translation>
        </message>
        <message>
            <source>config.import_reference_not_single_value</source>
            <translation>was kein einzelner Wert ist</translation>
        </message>
        <message>
            <source>config.import_reference_undefined</source>
            <translation>was diese Datei nicht bestimmt; den Wert selbst schreiben</translation>
        </message>
        <message>
            <source>config.import_reference_unresolved</source>
            <translation>verweist auf {reference}, {reason}</translation>
        </message>
        <message>
            <source>config.import_schedule_not_taken</source>
            <translation>gehört zu einem Plan, der nicht übernommen wird</translation>
        </message>
        <message>
            <source>config.import_schedule_to_be_chosen</source>
            <translation>bis ein Plan gewählt ist</translation>
        </message>
        <message>
            <source>config.import_schedule_unknown_name</source>
            <translation>kein Plan hier hat diesen Namen</translation>
        </message>
        <message>
            <source>config.import_torchtune_accumulation</source>
            <translation>batch_size x {passes} akkumuliert x {devices} Geräte</translation>
        </message>
        <message>
            <source>config.import_torchtune_checkpointer_reason</source>
            <translation>Checkpoints liegen im Arbeitsbereich; Gewichte kommen aus model.init_from</translation>
        </message>
        <message>
            <source>config.import_torchtune_cudnn_deterministic_mode_reason</source>
            <translation>Läufe wiederholen sich Bit für Bit, außer devices.deterministic ist false</translation>
        </message>
        <message>
            <source>config.import_torchtune_dataset_val_reason</source>
            <translation>den Auswertungstext nennt data.eval</translation>
        </message>
        <message>
            <source>config.import_torchtune_enable_activation_offloading_reason</source>
            <translation>Aktivierungen werden behalten; ein kleinerer Mikrobatch braucht weniger Speicher</translation>
        </message>
        <message>
            <source>config.import_torchtune_log_peak_memory_stats_reason</source>
            <translation>der Speicher wird immer aufgezeichnet</translation>
        </message>
        <message>
            <source>config.import_torchtune_loss_reason</source>
            <translation>der Verlust ist der maskierter Tokens, je vorhergesagtem Token</translation>
        </message>
        <message>
            <source>config.import_torchtune_optimizer_fused_reason</source>
            <translation>ein Schritt geht in jedem Fall nur einmal über die Gewichte</translation>
        </message>
        <message>
            <source>config.import_torchtune_optimizer_in_bwd_reason</source>
            <translation>Gradienten werden über den ganzen Schritt summiert, bevor der Optimierer rechnet; Speicher spart ein kleineres batch.device_train_microbatch_size</translation>
        </message>
        <message>
            <source>config.import_torchtune_output_dir_reason</source>
            <translation>Läufe liegen im Arbeitsbereich (--workspace)</translation>
        </message>
        <message>
            <source>config.import_torchtune_profiler_reason</source>
            <translation>Geschwindigkeit und Speicher werden immer aufgezeichnet</translation>
        </message>
        <message>
            <source>config.import_torchtune_tokenizer_reason</source>
            <translation>der Tokenizer ist WordPiece: tokenizer.path oder tokenizer.train</translation>
        </message>
        <message>
            <source>config.import_value_conflicts</source>
            <translation>weicht von {value} ab, das schon in {field} steht; hier gibt es einen Wert für beide</translation>
        </message>
        <message>
            <source>config.import_vocabulary_size_for_training</source>
            <translation>gilt, wenn ein Vokabular trainiert wird; ein angegebenes bringt seine eigene Größe mit</translation>
        </message>
        <message>
            <source>config.imported_config_rejected</source>
            <translation>die importierte Konfiguration wird abgelehnt: {reason}</translation>
        </message>
        <message>
            <source>config.issue_at_line</source>
            <translation>{source}:{line}: {problem}</translation>
        </message>
        <message>
            <source>config.issues_follow</source>
            <translation>{first}
{second}</translation>
        </message>
        <message>
            <source>config.key_value_heads_do_not_divide_heads</source>
            <translation>{keyValueHeads} Köpfe für Schlüssel und Werte teilen {heads} Aufmerksamkeitsköpfe nicht; jeder dient gleich vielen von ihnen</translation>
        </message>
        <message>
            <source>config.last_run_stage_not_end</source>
            <translation>die letzte Phase endet bei {end}, der Lauf bei {length}; als Ende 1dur angeben oder max_duration auf {end} setzen</translation>
        </message>
        <message>
            <source>config.launch_tag_entry_invalid</source>
            <translation>Eintrag {index} {reason}</translation>
        </message>
        <message>
            <source>config.lr_scaling_stays_none</source>
            <translation>bleibt none; DeepSpeed würde linear skalieren, das wäre lr_scaling: {{method: linear, reference_batch_size: N}</translation>
        </message>
        <message>
            <source>config.optimizer_eps_below_fp32_range</source>
            <translation>{value:exact} ist kleiner als das, was fp32, womit der Optimierer rechnet, genau darstellt (1.2e-38); üblich sind 1e-8 bis 1e-6</translation>
        </message>
        <message>
            <source>config.optimizer_eps_zero_in_fp32</source>
            <translation>{value:exact} ist 0 in fp32, womit der Optimierer rechnet, und ein Gewicht ohne Gradient würde zu 0 / 0; 1e-8 bis 1e-6 nehmen</translation>
        </message>
        <message>
            <source>config.optimizer_needs_two_betas</source>
            <translation>braucht zwei Zahlen, wie [0.9, 0.98]; hier sind es {count}</translation>
        </message>
        <message>
            <source>config.position_limit_below_sequence_length</source>
            <translation>{value} ist weniger als data.max_seq_len {length}; den Wert erhöhen oder die Sequenzen kürzen</translation>
        </message>
        <message>
            <source>config.preset_not_in_family</source>
            <translation>{preset} ist keine Größe von {family}; bekannt: {known}</translation>
        </message>
        <message>
            <source>config.rampup_duration_required</source>
            <translation>ist nötig, wenn eine Anfangsgröße angegeben ist; die Länge des Anstiegs angeben, etwa 0.1dur, oder initial_global_train_batch_size auf auto setzen</translation>
        </message>
        <message>
            <source>config.rampup_initial_size_above_target</source>
            <translation>{size} ist größer als batch.global_train_batch_size {target}; ein Anstieg wächst nur</translation>
        </message>
        <message>
            <source>config.rampup_stage_size_missing</source>
            <translation>fehlt: die Beispiele eines Schritts der Stufe</translation>
        </message>
        <message>
            <source>config.rampup_stage_start_missing</source>
            <translation>fehlt: wann die Stufe beginnt, wie 0ba oder 0.1dur</translation>
        </message>
        <message>
            <source>config.rampup_stages_exclude_duration</source>
            <translation>geht nicht zusammen mit batch.rampup.duration; jede Stufe sagt schon, wann sie beginnt (at)</translation>
        </message>
        <message>
            <source>config.rampup_stages_not_in_order</source>
            <translation>{time} kommt nicht nach {previous}; Stufen stehen in der Reihenfolge, in der sie beginnen</translation>
        </message>
        <message>
            <source>config.required_by_dynamic_batching</source>
            <translation>ist nötig, wenn dynamic_batching eingeschaltet ist</translation>
        </message>
        <message>
            <source>config.rollback_checkpoints_depend_on_time</source>
            <translation>roll_back geht zu Checkpoints von checkpoint.interval, und {interval} zählt Trainingszeit: wo sie liegen, hängt von der Geschwindigkeit der Maschine ab, sodass ein fortgesetzter Lauf an eine andere Stelle zurückgehen kann als ein Lauf in einem Zug; checkpoint.interval allein in globalen Batches angeben, etwa 100ba</translation>
        </message>
        <message>
            <source>config.rollback_needs_checkpoint_interval</source>
            <translation>roll_back braucht einen Checkpoint, zu dem es zurückgeht, und checkpoint.interval ist leer; einen Abstand angeben, oder skip oder stop nehmen</translation>
        </message>
        <message>
            <source>config.run_name_blank</source>
            <translation>ist leer; einen Namen angeben oder weglassen</translation>
        </message>
        <message>
            <source>config.run_stage_empty</source>
            <translation>{end} lässt keinen Platz für die Phase; ein Ende über 0 angeben</translation>
        </message>
        <message>
            <source>config.run_stage_end_missing</source>
            <translation>fehlt: wann die Phase endet, wie 0.8dur</translation>
        </message>
        <message>
            <source>config.run_stage_needs_schedule</source>
            <translation>kommt nach einer Phase mit eigenem Verlauf der Lernrate und hat keinen; einen angeben, etwa scheduler: {{name: constant}</translation>
        </message>
        <message>
            <source>config.run_stage_not_section</source>
            <translation>{found} ist keine Phase, wie {{until: 0.8dur, data.max_seq_len: 512}</translation>
        </message>
        <message>
            <source>config.run_stage_schedule_in_epochs</source>
            <translation>folgt dem Verlauf der Lernrate des Laufs, der in Epochen zählt ({length}), aber die Epochen der Phasen sind verschieden lang; der Phase einen eigenen Verlauf geben oder max_duration in ba, sp oder tok</translation>
        </message>
        <message>
            <source>config.run_stage_setting_unknown</source>
            <translation>{name} ist kein Feld; siehe die Übersicht der Konfiguration</translation>
        </message>
        <message>
            <source>config.run_stage_unit_differs</source>
            <translation>{end} lässt sich nicht mit max_duration {length} vergleichen; einen Anteil wie 0.8dur oder dieselbe Einheit angeben</translation>
        </message>
        <message>
            <source>config.run_stages_exclude_growth</source>
            <translation>in einem Lauf mit mehreren Phasen können Batches nicht nach einer Funktion wachsen; jeder Phase ihr batch.global_train_batch_size geben</translation>
        </message>
        <message>
            <source>config.run_stages_need_counted_length</source>
            <translation>Phasen enden an gezählten Stellen, aber der Lauf dauert {length}; max_duration in ep, ba, sp oder tok angeben</translation>
        </message>
        <message>
            <source>config.run_stages_need_own_mask_end</source>
            <translation>würde sich in jeder Phase von Neuem ändern; den Wert bei der Phase angeben, in der er sich ändert</translation>
        </message>
        <message>
            <source>config.run_stages_out_of_order</source>
            <translation>{end} kommt nicht nach {previous}, dem Ende der Phase davor; Phasen der Reihe nach angeben</translation>
        </message>
        <message>
            <source>config.scaling_by_tokens_ineffective</source>
            <translation>tokens wirkt nicht, weil lr_scaling.applies_to tokens nicht nennt: die Lernrate folgt der Zahl der Beispiele oder Pakete eines Schritts; tokens in lr_scaling.applies_to aufnehmen</translation>
        </message>
        <message>
            <source>config.scaling_reference_batch_size_required</source>
            <translation>ist nötig, wenn die Lernrate mit Tokenbudget oder nach Tokens skaliert wird: die Größe, in {unit}, für die optimizer.lr gewählt wurde</translation>
        </message>
        <message>
            <source>config.schedule_chain_inside_chain</source>
            <translation>eine Kette kann nicht Teil einer Kette sein; ihre Teile nacheinander schreiben</translation>
        </message>
        <message>
            <source>config.schedule_chain_needs_one_rest</source>
            <translation>genau ein Teil muss duration: rest haben, hier sind es {count}</translation>
        </message>
        <message>
            <source>config.schedule_name_unknown</source>
            <translation>'{name}' ist kein bekannter Plan</translation>
        </message>
        <message>
            <source>config.schedule_parameter_required</source>
            <translation>verlangt der Plan {name}</translation>
        </message>
        <message>
            <source>config.schedule_part_duration_missing</source>
            <translation>fehlt: wie lang der Teil dauert, wie 100ba oder 0.1dur; ein Teil sagt rest</translation>
        </message>
        <message>
            <source>config.schedule_part_name_missing</source>
            <translation>fehlt: welchem Plan der Teil folgt</translation>
        </message>
        <message>
            <source>config.stage_field_fixed</source>
            <translation>ist für den ganzen Lauf fest; eine Stufe kann setzen: {fields}</translation>
        </message>
        <message>
            <source>config.state_stays_fp32</source>
            <translation>Gewichte und Zustand des Optimierers bleiben in fp32</translation>
        </message>
        <message>
            <source>config.sweep_list_is_ambiguous</source>
            <translation>'{found}' kann eine Zahl oder mehrere sein; ohne Kommas schreiben, oder mit einem Leerzeichen nach jedem</translation>
        </message>
        <message>
            <source>config.sweep_list_is_one_value</source>
            <translation>braucht zwei oder mehr Werte, durch Kommas getrennt</translation>
        </message>
        <message>
            <source>config.sweep_makes_too_many_runs</source>
            <translation>die Werte von {fields} Feldern ergeben {count} Läufe, mehr als {limit}; weniger Werte angeben</translation>
        </message>
        <message>
            <source>config.sweep_range_invalid</source>
            <translation>'{found}' ist kein Bereich; Anfang..Ende, die Zahl der Werte und für gleiche Verhältnisse log angeben, etwa 1e-4..1e-2 x4 log</translation>
        </message>
        <message>
            <source>config.sweep_value_given_twice</source>
            <translation>{field}: der Wert {value} ist zweimal angegeben, was gleiche Läufe ergibt; einen behalten</translation>
        </message>
        <message>
            <source>config.sweep_value_not_list</source>
            <translation>'{found}' ist keine Liste von Werten</translation>
        </message>
        <message>
            <source>config.tile_excludes_init</source>
            <translation>geht nicht neben model.init_from: die Gewichte kommen aus einem Ordner, unverändert oder vergrößert</translation>
        </message>
        <message>
            <source>config.tile_needs_tokenizer</source>
            <translation>braucht tokenizer.path, weil die Embeddings zum Tokenizer dieses Ordners gehören; ihn dort nennen, meist denselben Ordner</translation>
        </message>
        <message>
            <source>config.time_unit_meaningless_here</source>
            <translation>'{unit}' hat hier keine Bedeutung</translation>
        </message>
        <message>
            <source>config.token_budget_minimum_above_maximum</source>
            <translation>{value} ist größer als max_batch_size {limit}; kein Paket könnte beides haben</translation>
        </message>
        <message>
            <source>config.token_budget_not_set</source>
            <translation>ist nicht gesetzt, darum haben die anderen Felder von batch.tokens keine Wirkung</translation>
        </message>
        <message>
            <source>config.torchtune_epochs_times_steps</source>
            <translation>epochs x max_steps_per_epoch; die Daten gehen nach so vielen Schritten weiter, wo torchtune von vorn beginnt</translation>
        </message>
        <message>
            <source>config.torchtune_needs_batch_size</source>
            <translation>hat ohne batch_size keine Bedeutung</translation>
        </message>
        <message>
            <source>config.torchtune_value_is_python</source>
            <translation>ist Python; als Formel aus epoch, current_batch_size und loss schreiben</translation>
        </message>
        <message>
            <source>config.unknown_key_lists_known</source>
            <translation>unbekannter Schlüssel; bekannt: {known}</translation>
        </message>
        <message>
            <source>config.unknown_key_with_hint</source>
            <translation>unbekannter Schlüssel; {hint} Bekannt: {known}</translation>
        </message>
        <message>
            <source>config.unknown_name_lists_known</source>
            <translation>unbekannter Name; bekannt: {known}</translation>
        </message>
        <message>
            <source>config.unknown_name_with_suggestion</source>
            <translation>unbekannter Name; gemeint war vielleicht '{suggestion}'? Bekannt: {known}</translation>
        </message>
        <message>
            <source>config.vocabulary_size_has_no_effect</source>
            <translation>hat keine Wirkung, das Vokabular von tokenizer.path wird benutzt</translation>
        </message>
        <message>
            <source>config.yaml_document_start_invalid</source>
            <translation>damit kann kein Dokument beginnen</translation>
        </message>
        <message>
            <source>config.yaml_field_has_no_value</source>
            <translation>hat keinen Wert; {expected} angeben</translation>
        </message>
        <message>
            <source>config.yaml_invalid_at_column</source>
            <translation>das ist kein gültiges YAML: {reason} (Spalte {column})</translation>
        </message>
        <message>
            <source>config.yaml_key_given_twice</source>
            <translation>ist zweimal angegeben</translation>
        </message>
        <message>
            <source>config.yaml_number_exceeds64_bits</source>
            <translation>zu groß für 64 Bit</translation>
        </message>
        <message>
            <source>config.yaml_number_exceeds_double</source>
            <translation>außerhalb dessen, was ein double fasst</translation>
        </message>
        <message>
            <source>config.yaml_number_must_be_finite</source>
            <translation>muss endlich sein</translation>
        </message>
        <message>
            <source>config.yaml_number_out_of_range</source>
            <translation>außerhalb des Bereichs</translation>
        </message>
        <message>
            <source>config.yaml_pattern_needs_quotes</source>
            <translation>ein Muster, das mit * beginnt, braucht Anführungszeichen, denn in YAML verweist * auf einen Anker; "{pattern}" schreiben</translation>
        </message>
        <message>
            <source>config.yaml_reason_alias_content</source>
            <translation>ein Verweis kann keinen Inhalt haben, auch keine Tags</translation>
        </message>
        <message>
            <source>config.yaml_reason_alias_not_found</source>
            <translation>nach * fehlt der Name des Verweises</translation>
        </message>
        <message>
            <source>config.yaml_reason_ambiguous_anchor</source>
            <translation>mehrere Werte können nicht denselben Anker haben</translation>
        </message>
        <message>
            <source>config.yaml_reason_anchor_not_found</source>
            <translation>nach &amp; fehlt der Name des Ankers</translation>
        </message>
        <message>
            <source>config.yaml_reason_block_entry</source>
            <translation>ein Listenpunkt ist hier nicht erlaubt</translation>
        </message>
        <message>
            <source>config.yaml_reason_char_in_alias</source>
            <translation>unerlaubtes Zeichen im Namen eines Verweises</translation>
        </message>
        <message>
            <source>config.yaml_reason_char_in_anchor</source>
            <translation>unerlaubtes Zeichen im Namen eines Ankers</translation>
        </message>
        <message>
            <source>config.yaml_reason_char_in_block</source>
            <translation>unerwartetes Zeichen im Kopf eines Textblocks</translation>
        </message>
        <message>
            <source>config.yaml_reason_char_in_scalar</source>
            <translation>unerlaubtes Zeichen in einem Wert</translation>
        </message>
        <message>
            <source>config.yaml_reason_char_in_tag_handle</source>
            <translation>unerlaubtes Zeichen im Namen eines Tags</translation>
        </message>
        <message>
            <source>config.yaml_reason_doc_in_scalar</source>
            <translation>der Beginn eines Dokuments ist in einem Wert nicht erlaubt</translation>
        </message>
        <message>
            <source>config.yaml_reason_end_of_map</source>
            <translation>das Ende eines Abschnitts fehlt</translation>
        </message>
        <message>
            <source>config.yaml_reason_end_of_map_flow</source>
            <translation>die schließende Klammer fehlt</translation>
        </message>
        <message>
            <source>config.yaml_reason_end_of_seq</source>
            <translation>das Ende einer Liste fehlt</translation>
        </message>
        <message>
            <source>config.yaml_reason_end_of_seq_flow</source>
            <translation>das Ende einer Liste fehlt: ]</translation>
        </message>
        <message>
            <source>config.yaml_reason_end_of_verbatim_tag</source>
            <translation>das Ende eines Tags fehlt</translation>
        </message>
        <message>
            <source>config.yaml_reason_eof_in_scalar</source>
            <translation>der Text endet in einem Wert</translation>
        </message>
        <message>
            <source>config.yaml_reason_flow_end</source>
            <translation>hier wird geschlossen, was nicht offen ist</translation>
        </message>
        <message>
            <source>config.yaml_reason_invalid_escape</source>
            <translation>unbekanntes Zeichen nach \: {detail}</translation>
        </message>
        <message>
            <source>config.yaml_reason_invalid_hex</source>
            <translation>falsches Zeichen in einer Hexadezimalzahl</translation>
        </message>
        <message>
            <source>config.yaml_reason_invalid_unicode</source>
            <translation>ungültiges Unicode: {detail}</translation>
        </message>
        <message>
            <source>config.yaml_reason_map_key</source>
            <translation>ein Name ist hier nicht erlaubt</translation>
        </message>
        <message>
            <source>config.yaml_reason_map_value</source>
            <translation>ein Wert nach Doppelpunkt ist hier nicht erlaubt</translation>
        </message>
        <message>
            <source>config.yaml_reason_multiple_aliases</source>
            <translation>ein Wert kann nicht mehrere Verweise haben</translation>
        </message>
        <message>
            <source>config.yaml_reason_multiple_anchors</source>
            <translation>ein Wert kann nicht mehrere Anker haben</translation>
        </message>
        <message>
            <source>config.yaml_reason_multiple_tags</source>
            <translation>ein Wert kann nicht mehrere Tags haben</translation>
        </message>
        <message>
            <source>config.yaml_reason_repeated_tag_directive</source>
            <translation>eine TAG-Direktive ist wiederholt</translation>
        </message>
        <message>
            <source>config.yaml_reason_repeated_yaml_directive</source>
            <translation>eine YAML-Direktive ist wiederholt</translation>
        </message>
        <message>
            <source>config.yaml_reason_single_quoted_char</source>
            <translation>ungültiges Zeichen zwischen einfachen Anführungszeichen</translation>
        </message>
        <message>
            <source>config.yaml_reason_tab_in_indentation</source>
            <translation>ein Tabulator ist als Einrückung nicht erlaubt</translation>
        </message>
        <message>
            <source>config.yaml_reason_tag_directive_args</source>
            <translation>TAG-Direktiven haben genau zwei Argumente</translation>
        </message>
        <message>
            <source>config.yaml_reason_tag_with_no_suffix</source>
            <translation>ein Tag hat keinen Namen</translation>
        </message>
        <message>
            <source>config.yaml_reason_unknown_anchor</source>
            <translation>der Anker, auf den verwiesen wird, fehlt</translation>
        </message>
        <message>
            <source>config.yaml_reason_unknown_anchor_named</source>
            <translation>der Anker, auf den verwiesen wird, fehlt: {detail}</translation>
        </message>
        <message>
            <source>config.yaml_reason_unknown_token</source>
            <translation>unbekanntes Zeichen</translation>
        </message>
        <message>
            <source>config.yaml_reason_yaml_directive_args</source>
            <translation>YAML-Direktiven haben genau ein Argument</translation>
        </message>
        <message>
            <source>config.yaml_reason_yaml_major_version</source>
            <translation>die Hauptversion von YAML ist zu groß</translation>
        </message>
        <message>
            <source>config.yaml_reason_yaml_version</source>
            <translation>falsche YAML-Version: {detail}</translation>
        </message>
        <message>
            <source>config.yaml_reason_zero_indent_in_block</source>
            <translation>ein Textblock kann nicht um null eingerückt sein</translation>
        </message>
        <message>
            <source>config.yaml_section_is_empty</source>
            <translation>ist leer; einen Abschnitt mit den Schlüsseln {known} angeben</translation>
        </message>
        <message>
            <source>config.yaml_section_keys_expected</source>
            <translation>{found} ist kein Abschnitt mit den Schlüsseln {known}</translation>
        </message>
        <message>
            <source>config.yaml_section_noun</source>
            <translation>ein Abschnitt</translation>
        </message>
        <message>
            <source>config.yaml_several_documents</source>
            <translation>'{text}' ist mehr als ein YAML-Dokument, erwartet wird {expected}</translation>
        </message>
        <message>
            <source>config.yaml_value_problem</source>
            <translation>{value} {problem}</translation>
        </message>
        <message>
            <source>config.yaml_value_unexpected</source>
            <translation>{found} ist nicht {expected}</translation>
        </message>
        <message>
            <source>config.yaml_value_unexpected_because</source>
            <translation>{found} ist nicht {expected} ({reason})</translation>
        </message>
        <message>
            <source>config.zip_field_unknown</source>
            <translation>ist kein Feld der Konfiguration; Felder vollständig nennen, etwa optimizer.lr</translation>
        </message>
        <message>
            <source>config.zip_lengths_differ</source>
            <translation>{left} hat {leftCount} Werte und {right} hat {rightCount}; gemeinsam fortschreitende Felder brauchen gleich viele</translation>
        </message>
        <message>
            <source>data.all_documents_held_out</source>
            <translation>alle Dokumente aus {count:integer} {count?Datei|Dateien} wurden für die Auswertung zurückgelegt; data.holdout senken oder Text hinzufügen</translation>
        </message>
        <message>
            <source>data.charsmap_damaged</source>
            <translation>die Zeichentabelle des Normalisierers 'Precompiled' ist beschädigt; tokenizer.json neu herunterladen</translation>
        </message>
        <message>
            <source>data.checkpoint_tokenizer_noun</source>
            <translation>der Tokenizer des Checkpoints</translation>
        </message>
        <message>
            <source>data.data_file_gone</source>
            <translation>'{path}' ist weg, und keine Datei mit ihrem Inhalt ist in der Nähe von '{folder}' oder '{base}'; sie zurücklegen, oder den neuen Ort unter data.train nennen</translation>
        </message>
        <message>
            <source>data.data_files_hold_no_text</source>
            <translation>in {count:integer} {count?Datei|Dateien} ist kein Text: nur Leerraum oder Steuerzeichen</translation>
        </message>
        <message>
            <source>data.data_holds_no_text</source>
            <translation>in {source} ist kein Text: nur Leerraum oder Steuerzeichen</translation>
        </message>
        <message>
            <source>data.data_may_have_moved</source>
            <translation>vielleicht verschoben: den neuen Ort mit --set data.train=[...] nennen</translation>
        </message>
        <message>
            <source>data.data_path_is_empty</source>
            <translation>ein Name ist leer; eine Datei, einen Ordner oder ein Muster angeben</translation>
        </message>
        <message>
            <source>data.data_path_is_special_file</source>
            <translation>'{path}' ist eine Pipe, ein Socket oder ein Gerät; gebraucht wird eine gewöhnliche Datei oder ein Ordner</translation>
        </message>
        <message>
            <source>data.data_path_not_found</source>
            <translation>es gibt keine Datei und keinen Ordner '{path}'</translation>
        </message>
        <message>
            <source>data.data_pattern_matches_no_file</source>
            <translation>keine Datei passt zum Muster '{pattern}'</translation>
        </message>
        <message>
            <source>data.disk_full_during_preparation</source>
            <translation>{problem}; Platz schaffen oder einen anderen Arbeitsbereich wählen, die Vorbereitung geht weiter, wo sie stand</translation>
        </message>
        <message>
            <source>data.evaluation_files_also_trained</source>
            <translation>data.eval: {example}, womit trainiert wird: die Auswertung sagt wenig über neuen Text. Betroffene Dateien: {count}</translation>
        </message>
        <message>
            <source>data.evaluation_text_noun</source>
            <translation>der Auswertungstext</translation>
        </message>
        <message>
            <source>data.file_duplicates_other</source>
            <translation>'{path}' hat denselben Inhalt wie '{other}'</translation>
        </message>
        <message>
            <source>data.file_is_not_text</source>
            <translation>'{path}' ist keine Textdatei: Sie enthält Binärdaten; reinen Text wählen (.txt, .md, .jsonl) oder sie zuerst in Text umwandeln</translation>
        </message>
        <message>
            <source>data.file_named_several_times</source>
            <translation>'{path}' ist {count}-mal genannt</translation>
        </message>
        <message>
            <source>data.folder_lacks_files_of_format</source>
            <translation>der Ordner '{folder}' hat keine Datei im Format '{format}' ({endings}, auch mit .gz); andere Dateien mit einem Muster wie '{pattern}' nennen</translation>
        </message>
        <message>
            <source>data.folder_lacks_tokenizer</source>
            <translation>der Ordner '{path}' enthält weder tokenizer.json noch vocab.txt</translation>
        </message>
        <message>
            <source>data.folder_lacks_vocabulary</source>
            <translation>der Ordner '{path}' enthält keine vocab.txt</translation>
        </message>
        <message>
            <source>data.general_text_too_small</source>
            <translation>der allgemeine Text hat zu wenige Dokumente, um auf einigen zu trainieren und mit anderen auszuwerten; mehr angeben</translation>
        </message>
        <message>
            <source>data.gzip_data_is_damaged</source>
            <translation>enthält beschädigte gzip-Daten</translation>
        </message>
        <message>
            <source>data.gzip_data_is_incomplete</source>
            <translation>endet mitten in den gzip-Daten</translation>
        </message>
        <message>
            <source>data.gzip_file_became_shorter</source>
            <translation>ist kürzer als zuvor</translation>
        </message>
        <message>
            <source>data.gzip_file_damaged</source>
            <translation>'{path}' {reason}; noch einmal holen oder packen</translation>
        </message>
        <message>
            <source>data.gzip_unpacking_out_of_memory</source>
            <translation>nicht genug Speicher, um '{path}' zu entpacken</translation>
        </message>
        <message>
            <source>data.holdout_out_of_range</source>
            <translation>data.holdout ist {value:exact}; möglich ist ab 0 und unter 1</translation>
        </message>
        <message>
            <source>data.holdout_took_no_documents</source>
            <translation>der Anteil von {percent:value} % nahm von {count:integer} {count?Dokument|Dokumenten} keines: nichts wird ausgewertet; Texte in data.eval nennen oder data.holdout erhöhen</translation>
        </message>
        <message>
            <source>data.invalid_unicode_replaced</source>
            <translation>{subject}: {count:integer} {count?Stelle ist|Stellen sind} kein gültiges Unicode; jede wurde durch U+FFFD ersetzt</translation>
        </message>
        <message>
            <source>data.json_binary_noun</source>
            <translation>Binärdaten</translation>
        </message>
        <message>
            <source>data.json_boolean_noun</source>
            <translation>ein Wahrheitswert</translation>
        </message>
        <message>
            <source>data.json_line_field_not_string</source>
            <translation>hat {found} im Feld '{field}', gebraucht wird ein Text</translation>
        </message>
        <message>
            <source>data.json_line_invalid_at_byte</source>
            <translation>ist bei Byte {position} kein gültiges JSON</translation>
        </message>
        <message>
            <source>data.json_line_number_too_large</source>
            <translation>hat bei Byte {position} eine Zahl, die kein double fasst</translation>
        </message>
        <message>
            <source>data.json_line_lacks_field</source>
            <translation>hat kein Feld '{field}' (data.text_field setzen)</translation>
        </message>
        <message>
            <source>data.json_line_not_object</source>
            <translation>enthält {found} anstelle eines JSON-Objekts</translation>
        </message>
        <message>
            <source>data.json_line_problem</source>
            <translation>die Zeile {reason}</translation>
        </message>
        <message>
            <source>data.json_line_too_long</source>
            <translation>die Zeile ist länger als {limit} Bytes</translation>
        </message>
        <message>
            <source>data.json_null_noun</source>
            <translation>null</translation>
        </message>
        <message>
            <source>data.json_string_noun</source>
            <translation>ein Text</translation>
        </message>
        <message>
            <source>data.long_documents_cut</source>
            <translation>{subject}: Dokumente über 1 MiB wurden an {count:integer} Stellen geteilt</translation>
        </message>
        <message>
            <source>data.moved_file_has_same_content</source>
            <translation>'{path}' ist weg; '{found}' hat denselben Inhalt und wird genommen</translation>
        </message>
        <message>
            <source>data.moved_file_used_again</source>
            <translation>'{found}' wird für '{path}' genommen, wie zuvor</translation>
        </message>
        <message>
            <source>data.normalizer_noun</source>
            <translation>Normalisierer</translation>
        </message>
        <message>
            <source>data.not_token_file</source>
            <translation>ist keine Tokendatei</translation>
        </message>
        <message>
            <source>data.post_processor_noun</source>
            <translation>Nachbearbeiter</translation>
        </message>
        <message>
            <source>data.pre_tokenizer_noun</source>
            <translation>Vor-Tokenizer</translation>
        </message>
        <message>
            <source>data.prefetch_thread_failed</source>
            <translation>der Vorauslese-Thread ist fehlgeschlagen: {reason}</translation>
        </message>
        <message>
            <source>data.reading_files_progress</source>
            <translation>Dateien lesen</translation>
        </message>
        <message>
            <source>data.repeated_file_read_once</source>
            <translation>{example}; sie wird einmal gelesen</translation>
        </message>
        <message>
            <source>data.repeated_files_read_once</source>
            <translation>{count} Dateien sind mehrmals genannt ({example}); jede wird einmal gelesen</translation>
        </message>
        <message>
            <source>data.searching_moved_files_phase</source>
            <translation>verschobene Dateien suchen</translation>
        </message>
        <message>
            <source>data.sequence_limit_out_of_range</source>
            <translation>data.max_seq_len ist {value}; möglich sind 3 bis 65536</translation>
        </message>
        <message>
            <source>data.stopped_during_tokenization</source>
            <translation>beim Tokenisieren angehalten; das nächste Mal geht es dort weiter</translation>
        </message>
        <message>
            <source>data.stopped_during_vocabulary_training</source>
            <translation>beim Trainieren des Vokabulars angehalten</translation>
        </message>
        <message>
            <source>data.stopped_waiting_for_batch</source>
            <translation>angehalten beim Warten auf den nächsten Batch</translation>
        </message>
        <message>
            <source>data.stopped_waiting_for_preparation</source>
            <translation>angehalten, während ein anderer Prozess die Daten vorbereitet</translation>
        </message>
        <message>
            <source>data.stopped_while_reading_file</source>
            <translation>beim Lesen von '{path}' angehalten</translation>
        </message>
        <message>
            <source>data.text_file_became_shorter</source>
            <translation>'{path}' ist kürzer als beim Abbruch der Tokenisierung; die Datei wiederherstellen oder die Daten neu vorbereiten</translation>
        </message>
        <message>
            <source>data.text_file_changed_during_preparation</source>
            <translation>'{path}' hat sich beim Vorbereiten geändert; noch einmal starten, wenn die Datei fertig ist</translation>
        </message>
        <message>
            <source>data.text_file_is_wide_unicode</source>
            <translation>'{path}' ist UTF-16- oder UTF-32-Text; in UTF-8 umwandeln, zum Beispiel mit iconv</translation>
        </message>
        <message>
            <source>data.text_file_looks_like_wide</source>
            <translation>'{path}' sieht aus wie {encoding}-Text ohne Byte-Order-Mark; in UTF-8 umwandeln: iconv -f {encoding} -t UTF-8</translation>
        </message>
        <message>
            <source>data.text_has_too_few_words</source>
            <translation>der Text hat nur {count:integer} {count?Wort|Wörter}; zum Trainieren sind mindestens {minimum:integer} nötig: weitere Dateien hinzufügen</translation>
        </message>
        <message>
            <source>data.text_is_one_document</source>
            <translation>der ganze Text ist ein Dokument, für die Auswertung bleibt also keines; Dokumente durch Leerzeilen trennen oder ein Dokument pro Zeile wählen</translation>
        </message>
        <message>
            <source>data.text_is_very_small</source>
            <translation>der Text hat nur {count:integer} Wörter; aus weniger als {enough:integer} lernt ein Modell wenig: mehr Text hinzufügen oder ein trainiertes Modell weitertrainieren</translation>
        </message>
        <message>
            <source>data.text_path_not_regular_file</source>
            <translation>'{path}' ist eine Pipe, ein Socket oder ein Gerät; gebraucht wird eine gewöhnliche Datei</translation>
        </message>
        <message>
            <source>data.text_probably_not_utf8</source>
            <translation>'{path}' ist wahrscheinlich nicht UTF-8: {count:integer} Stellen sind ungültig und würden wegfallen; die Datei zuerst umwandeln, zum Beispiel mit iconv -f WINDOWS-1252 -t UTF-8</translation>
        </message>
        <message>
            <source>data.token_file_became_shorter</source>
            <translation>'{path}' ist kürzer, als die Datei zuletzt war</translation>
        </message>
        <message>
            <source>data.token_file_content_damaged</source>
            <translation>hat beschädigten Inhalt</translation>
        </message>
        <message>
            <source>data.token_file_damaged</source>
            <translation>die Tokendatei '{path}' {reason}; sie löschen und die Daten neu vorbereiten</translation>
        </message>
        <message>
            <source>data.token_file_header_damaged</source>
            <translation>hat einen beschädigten Kopf</translation>
        </message>
        <message>
            <source>data.token_file_size_mismatch</source>
            <translation>hat eine andere Größe, als der Kopf sagt</translation>
        </message>
        <message>
            <source>data.token_file_table_damaged</source>
            <translation>hat eine beschädigte Sequenztabelle</translation>
        </message>
        <message>
            <source>data.token_file_too_short</source>
            <translation>ist zu kurz</translation>
        </message>
        <message>
            <source>data.token_file_version_unsupported</source>
            <translation>die Tokendatei '{path}' hat Version {version}, dieses Programm kennt Version 1; die Daten neu vorbereiten</translation>
        </message>
        <message>
            <source>data.tokenizer_added_token_invalid</source>
            <translation>ein hinzugefügtes Token hat keine gültige Nummer (id) und keinen Inhalt (content): {token}</translation>
        </message>
        <message>
            <source>data.tokenizer_byte_level_needs_bpe</source>
            <translation>der Vor-Tokenizer 'ByteLevel' wird nur beim Modell 'BPE' unterstützt, nicht bei '{type}'</translation>
        </message>
        <message>
            <source>data.tokenizer_byte_level_not_last</source>
            <translation>der Vor-Tokenizer '{type}' steht hinter 'ByteLevel'; das wird nur als letzter unterstützt</translation>
        </message>
        <message>
            <source>data.tokenizer_field_invalid</source>
            <translation>'{field}' von '{type}' fehlt oder hat einen falschen Wert: {value}</translation>
        </message>
        <message>
            <source>data.tokenizer_file_lacks_model</source>
            <translation>das ist keine tokenizer.json von Hugging Face tokenizers: 'model' fehlt</translation>
        </message>
        <message>
            <source>data.tokenizer_frame_unsupported</source>
            <translation>der Nachbearbeiter setzt {before} Tokens vor und {behind} Tokens hinter einen Text; höchstens je eines wird unterstützt</translation>
        </message>
        <message>
            <source>data.tokenizer_id_invalid</source>
            <translation>das Token '{token}' hat die Nummer {id}; Nummern sind ganze Zahlen ab 0 und unter {limit}</translation>
        </message>
        <message>
            <source>data.tokenizer_id_twice</source>
            <translation>die Tokens '{first}' und '{second}' haben dieselbe Nummer {id}</translation>
        </message>
        <message>
            <source>data.tokenizer_lacks_special_token</source>
            <translation>{name} hat kein Token für '{role}'; es in einer tokenizer_config.json daneben nennen</translation>
        </message>
        <message>
            <source>data.tokenizer_lowercase_from_file</source>
            <translation>tokenizer.lowercase hat keine Wirkung: über Groß- und Kleinschreibung entscheiden die Dateien des Tokenizers</translation>
        </message>
        <message>
            <source>data.tokenizer_merge_malformed</source>
            <translation>die Verschmelzung {number} des Modells 'BPE' ist kein Paar von Tokens: {merge}</translation>
        </message>
        <message>
            <source>data.tokenizer_merge_unknown</source>
            <translation>die Verschmelzung {number} des Modells 'BPE' verbindet '{left}' und '{right}', aber eines davon oder beide zusammen sind kein Token</translation>
        </message>
        <message>
            <source>data.tokenizer_model_noun</source>
            <translation>Modell</translation>
        </message>
        <message>
            <source>data.tokenizer_option_unsupported</source>
            <translation>die Option '{option}' von '{type}' hat den Wert {value}, der nicht unterstützt wird</translation>
        </message>
        <message>
            <source>data.tokenizer_part_unsupported</source>
            <translation>{part} '{type}' wird nicht unterstützt; unterstützt werden {known}</translation>
        </message>
        <message>
            <source>data.tokenizer_pattern_unsupported</source>
            <translation>'{type}' hat einen regulären Ausdruck, der nicht unterstützt wird: {pattern}</translation>
        </message>
        <message>
            <source>data.tokenizer_piece_too_long</source>
            <translation>das Token {token} hat {bytes} Bytes; höchstens {limit} werden unterstützt</translation>
        </message>
        <message>
            <source>data.tokenizer_pieces_too_long</source>
            <translation>die Tokens des Modells haben zusammen mehr als {limit} Text, was nicht unterstützt wird</translation>
        </message>
        <message>
            <source>data.tokenizing_phase</source>
            <translation>Tokenisieren</translation>
        </message>
        <message>
            <source>data.trained_tokenizer_noun</source>
            <translation>der trainierte Tokenizer</translation>
        </message>
        <message>
            <source>data.trained_vocabulary_unreadable</source>
            <translation>das trainierte Vokabular ist nicht lesbar: {reason}</translation>
        </message>
        <message>
            <source>data.training_file_duplicated</source>
            <translation>data.train: {example}; beide werden gelesen</translation>
        </message>
        <message>
            <source>data.training_files_duplicated</source>
            <translation>data.train: {count} Dateien haben den Inhalt einer anderen; alle werden gelesen. Die erste: {example}</translation>
        </message>
        <message>
            <source>data.training_text_has_no_words</source>
            <translation>der Trainingstext hat keine Wörter, also lässt sich kein Vokabular darauf trainieren</translation>
        </message>
        <message>
            <source>data.training_text_not_named</source>
            <translation>data.train nennt keinen Text; Dateien, Ordner oder Muster wie text/*.txt angeben</translation>
        </message>
        <message>
            <source>data.vocabulary_has_no_tokens</source>
            <translation>{name} hat keine Tokens; gebraucht wird eines je Zeile</translation>
        </message>
        <message>
            <source>data.vocabulary_has_only_special_tokens</source>
            <translation>{name} hat nur besondere Tokens; gebraucht werden auch Wortstücke</translation>
        </message>
        <message>
            <source>data.vocabulary_has_too_many_tokens</source>
            <translation>{name} hat {count} Tokens; höchstens {limit} sind möglich</translation>
        </message>
        <message>
            <source>data.vocabulary_lacks_special_token</source>
            <translation>in {name} fehlt {missing}; ein BERT-Vokabular hat [PAD], [UNK], [CLS], [SEP] und [MASK], jedes auf einer eigenen Zeile</translation>
        </message>
        <message>
            <source>data.vocabulary_line</source>
            <translation>{vocabulary}, Zeile {line}</translation>
        </message>
        <message>
            <source>data.vocabulary_line_is_empty</source>
            <translation>{place}: ist leer, auf jeder Zeile muss ein Token stehen</translation>
        </message>
        <message>
            <source>data.vocabulary_line_not_utf8</source>
            <translation>{place}: ist kein UTF-8-Text</translation>
        </message>
        <message>
            <source>data.vocabulary_needs_tokenizer_json</source>
            <translation>'{folder}': die tokenizer_config.json behandelt Akzente (strip_accents) anders als Groß- und Kleinschreibung (do_lower_case), was eine vocab.txt nicht sagen kann: eine tokenizer.json daneben schreiben, wie es AutoTokenizer.from_pretrained(folder).save_pretrained(folder) von transformers tut</translation>
        </message>
        <message>
            <source>data.vocabulary_size_out_of_range</source>
            <translation>tokenizer.train.vocab_size ist {value}; möglich sind {minimum} bis {maximum}</translation>
        </message>
        <message>
            <source>data.vocabulary_token_given_twice</source>
            <translation>{place}: '{token}' steht schon in Zeile {line}; jedes Token darf nur einmal da sein</translation>
        </message>
        <message>
            <source>data.vocabulary_training_failed</source>
            <translation>auf diesem Text lässt sich kein Vokabular trainieren: {reason}</translation>
        </message>
        <message>
            <source>data.vocabulary_training_progress</source>
            <translation>Vokabular trainieren</translation>
        </message>
        <message>
            <source>data.waiting_for_tokenizer_phase</source>
            <translation>wartet auf einen anderen Prozess, der denselben Text tokenisiert</translation>
        </message>
        <message>
            <source>dist.broadcasting_weights</source>
            <translation>Gewichte austeilen</translation>
        </message>
        <message>
            <source>dist.meeting_ranks</source>
            <translation>Treffen mit den anderen Rängen</translation>
        </message>
        <message>
            <source>dist.mpi_cannot_be_loaded</source>
            <translation>Ränge auf Prozessoren reden über MPI, aber {path} kann nicht geladen werden: {reason}; libopenmpi-dev installieren und neu bauen</translation>
        </message>
        <message>
            <source>dist.mpi_failed</source>
            <translation>MPI: {operation}: {reason}</translation>
        </message>
        <message>
            <source>dist.mpi_lacks_threads</source>
            <translation>diese MPI-Bibliothek erlaubt keine Aufrufe aus mehreren Threads</translation>
        </message>
        <message>
            <source>dist.mpi_library_not_batchwise</source>
            <translation>{path} ist keine MPI-Bibliothek von Batchwise</translation>
        </message>
        <message>
            <source>dist.mpi_starting_sum</source>
            <translation>eine Summe beginnen</translation>
        </message>
        <message>
            <source>dist.mpi_waiting_for_ranks</source>
            <translation>Warten auf die anderen Ränge</translation>
        </message>
        <message>
            <source>dist.nccl_failed</source>
            <translation>NCCL: {operation}: {reason}</translation>
        </message>
        <message>
            <source>dist.nccl_operation_aborted</source>
            <translation>NCCL hat eine Operation abgebrochen, weil ein Rang oder die Verbindung zu ihm ausgefallen ist; die Umgebungsvariable NCCL_DEBUG=INFO zeigt die Ursache</translation>
        </message>
        <message>
            <source>dist.own_rank_name</source>
            <translation>Rang {rank} (Prozess {process} auf {host})</translation>
        </message>
        <message>
            <source>dist.port_for_ranks</source>
            <translation>Port {port} für die anderen Ränge</translation>
        </message>
        <message>
            <source>dist.rank_ended_after</source>
            <translation>{rank} ist nach „{section}“ beendet</translation>
        </message>
        <message>
            <source>dist.rank_ended_early_in</source>
            <translation>{end}, und dieser Rang wartet bei „{section}“ darauf</translation>
        </message>
        <message>
            <source>dist.rank_lost_in_process_ended</source>
            <translation>{rank} ging bei „{section}“ verloren: sein Prozess endete wortlos (getötet, kein Speicher mehr, oder der Rechner ist weg)</translation>
        </message>
        <message>
            <source>dist.rank_lost_in_send_failed</source>
            <translation>{rank} ging bei „{section}“ verloren: 10 s lang nahm er nichts an, oder seine Verbindung brach ab</translation>
        </message>
        <message>
            <source>dist.rank_name</source>
            <translation>Rang {rank}</translation>
        </message>
        <message>
            <source>dist.rank_not_arrived_in</source>
            <translation>{rank} ist nicht dazugekommen, zuletzt gesehen bei „{section}“</translation>
        </message>
        <message>
            <source>dist.rank_public_key_unusable</source>
            <translation>ein anderer Rang hat keinen brauchbaren öffentlichen Schlüssel gesendet</translation>
        </message>
        <message>
            <source>dist.rank_secret_too_long</source>
            <translation>ein Geheimnis ist zu lang zum Senden</translation>
        </message>
        <message>
            <source>dist.rank_silent_in</source>
            <translation>{rank} schweigt seit {seconds:value} s, zuletzt gesehen bei „{section}“</translation>
        </message>
        <message>
            <source>dist.rank_texts_incomplete</source>
            <translation>Rang 0 hat nicht für jeden Rang einen Text gesendet</translation>
        </message>
        <message>
            <source>dist.rank_zero_closed_connection</source>
            <translation>Rang 0 bei {address} hat die Verbindung von Rang {rank} geschlossen: Ein anderer Prozess mit diesem Rang ist verbunden, oder Rang 0 ist beendet; siehe die Ausgabe von Rang 0</translation>
        </message>
        <message>
            <source>dist.rank_zero_is_silent</source>
            <translation>Rang 0 schweigt seit {seconds} s</translation>
        </message>
        <message>
            <source>dist.rank_zero_not_answering</source>
            <translation>Rang 0 bei {address} hat Rang {rank} nicht geantwortet: sein Rechner ist überlastet, oder ein anderes Programm nimmt dort Verbindungen an</translation>
        </message>
        <message>
            <source>dist.rank_zero_not_authenticated</source>
            <translation>das Programm bei {address} kann nicht beweisen, dass es Rang 0 dieses Laufs ist, darum hat Rang {rank} ihm nichts mitgeteilt; es beenden, oder mit BATCHWISE_RANK_PORT einen anderen Port wählen</translation>
        </message>
        <message>
            <source>dist.rank_zero_on_host</source>
            <translation>Rang 0 (auf {host})</translation>
        </message>
        <message>
            <source>dist.rank_zero_unreachable</source>
            <translation>Rang {rank} erreicht Rang 0 bei {address} nicht; die Rechner eines Laufs müssen einander über TCP erreichen</translation>
        </message>
        <message>
            <source>dist.ranks_cannot_sum_type</source>
            <translation>die Ränge können {type} nicht summieren</translation>
        </message>
        <message>
            <source>dist.ranks_did_not_connect</source>
            <translation>binnen {limit:value} s nicht mit Rang 0 verbunden: {names}</translation>
        </message>
        <message>
            <source>dist.ranks_sum_different_counts</source>
            <translation>die Ränge summieren verschieden viele Werte: sie sind nicht an derselben Stelle</translation>
        </message>
        <message>
            <source>dist.rendezvous_port_in_use</source>
            <translation>Port {port}, über den sich die anderen Ränge mit Rang 0 verbinden, wird von einem anderen Programm oder Lauf benutzt; jenes beenden, oder mit BATCHWISE_RANK_PORT einen anderen Port wählen</translation>
        </message>
        <message>
            <source>dist.summing_gradients</source>
            <translation>Gradienten summieren</translation>
        </message>
        <message>
            <source>dist.summing_values</source>
            <translation>Summieren</translation>
        </message>
        <message>
            <source>dist.x25519_key_unavailable</source>
            <translation>libcrypto erzeugt keinen X25519-Schlüssel</translation>
        </message>
        <message>
            <source>events.checkpoint_waits</source>
            <translation>wartet darauf, den Checkpoint zu sichern: {reason}</translation>
        </message>
        <message>
            <source>events.duration_reached</source>
            <translation>geplante Länge erreicht</translation>
        </message>
        <message>
            <source>events.evaluating_phase</source>
            <translation>Auswerten</translation>
        </message>
        <message>
            <source>events.evaluating_set_phase</source>
            <translation>Auswertung auf {name}</translation>
        </message>
        <message>
            <source>events.event_field_invalid</source>
            <translation>Ereignis '{event}': {reason}</translation>
        </message>
        <message>
            <source>events.event_field_missing</source>
            <translation>das Feld '{field}' fehlt</translation>
        </message>
        <message>
            <source>events.event_field_name_unknown</source>
            <translation>das Feld '{field}' hat den unbekannten Namen '{name}'</translation>
        </message>
        <message>
            <source>events.event_field_type_mismatch</source>
            <translation>das Feld '{field}' enthält {found}, erwartet wird {expected}</translation>
        </message>
        <message>
            <source>events.event_float_noun</source>
            <translation>eine Zahl, "nan", "inf" oder "-inf"</translation>
        </message>
        <message>
            <source>events.event_integer_noun</source>
            <translation>eine ganze Zahl mit 64 Bit</translation>
        </message>
        <message>
            <source>events.event_lacks_name_field</source>
            <translation>ein Ereignis braucht das Textfeld 'event'</translation>
        </message>
        <message>
            <source>events.event_name_unknown</source>
            <translation>unbekanntes Ereignis '{name}'</translation>
        </message>
        <message>
            <source>events.event_not_json_object</source>
            <translation>ein Ereignis muss ein JSON-Objekt sein, dies ist {found}</translation>
        </message>
        <message>
            <source>events.store_waits</source>
            <translation>wartet auf den Speicher: {reason}</translation>
        </message>
        <message>
            <source>events.training_paused</source>
            <translation>pausiert</translation>
        </message>
        <message>
            <source>events.training_resumes</source>
            <translation>das Training geht weiter</translation>
        </message>
        <message>
            <source>events.training_waits</source>
            <translation>das Training wartet und geht von selbst weiter: {reason}</translation>
        </message>
        <message>
            <source>exchange.archive_changed_while_read</source>
            <translation>es wurde verändert, während es gelesen wurde</translation>
        </message>
        <message>
            <source>exchange.archive_checkpoint_data_noun</source>
            <translation>die Daten eines Checkpoints</translation>
        </message>
        <message>
            <source>exchange.archive_checkpoint_lacks_segment</source>
            <translation>ein Checkpoint gehört zu einem Abschnitt, den es nicht gibt</translation>
        </message>
        <message>
            <source>exchange.archive_checkpoint_size_invalid</source>
            <translation>die Größe von Checkpoint {id} ist nicht möglich</translation>
        </message>
        <message>
            <source>exchange.archive_checkpoint_size_mismatch</source>
            <translation>ein Checkpoint hat eine andere Größe als angegeben</translation>
        </message>
        <message>
            <source>exchange.archive_cut_short</source>
            <translation>es ist abgeschnitten</translation>
        </message>
        <message>
            <source>exchange.archive_end_noun</source>
            <translation>das Ende</translation>
        </message>
        <message>
            <source>exchange.archive_event_lacks_segment</source>
            <translation>ein Ereignis gehört zu einem Abschnitt, den es nicht gibt</translation>
        </message>
        <message>
            <source>exchange.archive_event_not_storable</source>
            <translation>event: Messwerte und Fortschritt sind keine gespeicherten Ereignisse</translation>
        </message>
        <message>
            <source>exchange.archive_events_not_list</source>
            <translation>die Ereignisse sind keine Liste</translation>
        </message>
        <message>
            <source>exchange.archive_format_unsupported</source>
            <translation>Archiv '{path}' hat das Format {found}, dieses Programm kennt sie bis {supported}; ein neueres Batchwise verwenden</translation>
        </message>
        <message>
            <source>exchange.archive_has_trailing_data</source>
            <translation>nach dem Ende folgt noch etwas</translation>
        </message>
        <message>
            <source>exchange.archive_header_check_failed</source>
            <translation>die Prüfsumme des Kopfs stimmt nicht</translation>
        </message>
        <message>
            <source>exchange.archive_import_needs_space</source>
            <translation>das Archiv braucht {needed:bytes}, in '{folder}' sind {free:bytes} frei; zuerst Platz schaffen</translation>
        </message>
        <message>
            <source>exchange.archive_is_damaged</source>
            <translation>Archiv '{path}' ist beschädigt: {reason}; es noch einmal kopieren oder exportieren</translation>
        </message>
        <message>
            <source>exchange.archive_metrics_lack_segment</source>
            <translation>Messwerte gehören zu einem Abschnitt, den es nicht gibt</translation>
        </message>
        <message>
            <source>exchange.archive_metrics_out_of_order</source>
            <translation>die Messwerte stehen nicht in der richtigen Reihenfolge</translation>
        </message>
        <message>
            <source>exchange.archive_metrics_row_cut_short</source>
            <translation>eine Zeile der Messwerte ist abgeschnitten</translation>
        </message>
        <message>
            <source>exchange.archive_metrics_row_empty</source>
            <translation>eine Zeile der Messwerte ist leer</translation>
        </message>
        <message>
            <source>exchange.archive_metrics_series_invalid</source>
            <translation>eine Zeile der Messwerte nennt eine Reihe, die nicht dorthin gehört</translation>
        </message>
        <message>
            <source>exchange.archive_part_too_large</source>
            <translation>ein Teil des Laufs hat {size} Bytes; ein Archiv fasst höchstens {limit}</translation>
        </message>
        <message>
            <source>exchange.archive_path_not_file</source>
            <translation>'{path}' ist keine Datei</translation>
        </message>
        <message>
            <source>exchange.archive_record_hash_mismatch</source>
            <translation>{name}: die Prüfsumme stimmt nicht</translation>
        </message>
        <message>
            <source>exchange.archive_record_kind_invalid</source>
            <translation>{name}: von unbekannter Art oder zu groß dafür</translation>
        </message>
        <message>
            <source>exchange.archive_record_misplaced</source>
            <translation>{name} steht im Archiv an der falschen Stelle</translation>
        </message>
        <message>
            <source>exchange.archive_reference_name_too_long</source>
            <translation>run: der Name eines Verweises ist zu lang</translation>
        </message>
        <message>
            <source>exchange.archive_reference_noun</source>
            <translation>ein Verweis</translation>
        </message>
        <message>
            <source>exchange.archive_resolved_value_invalid</source>
            <translation>run: ein aufgelöster Wert ist nicht möglich</translation>
        </message>
        <message>
            <source>exchange.archive_run_description_noun</source>
            <translation>die Beschreibung des Laufs</translation>
        </message>
        <message>
            <source>exchange.archive_seal_mismatch</source>
            <translation>das Siegel passt nicht zu den Sätzen</translation>
        </message>
        <message>
            <source>exchange.archive_segment_name</source>
            <translation>Abschnitt {number}</translation>
        </message>
        <message>
            <source>exchange.archive_segment_number_unexpected</source>
            <translation>hat die Nummer {number}</translation>
        </message>
        <message>
            <source>exchange.archive_series_list_invalid</source>
            <translation>die Namen der Reihen sind keine Liste oder zu viele</translation>
        </message>
        <message>
            <source>exchange.archive_series_list_noun</source>
            <translation>die Liste der Reihen</translation>
        </message>
        <message>
            <source>exchange.archive_series_name_invalid</source>
            <translation>der Name von Reihe {index} ist nicht möglich</translation>
        </message>
        <message>
            <source>exchange.archive_status_unknown</source>
            <translation>der Zustand '{name}' ist unbekannt</translation>
        </message>
        <message>
            <source>exchange.archive_tag_invalid</source>
            <translation>ein Schlagwort ist nicht möglich</translation>
        </message>
        <message>
            <source>exchange.archived_file_became_shorter</source>
            <translation>'{path}' wurde kürzer, während es gelesen wurde</translation>
        </message>
        <message>
            <source>exchange.archived_run_lacks_checkpoint</source>
            <translation>Lauf {run} hat keinen Checkpoint '{id}'</translation>
        </message>
        <message>
            <source>exchange.checkpoint_selection_invalid</source>
            <translation>'{found}' nennt keinen Checkpoint; latest, all, none oder Kennungen mit Kommas verwenden</translation>
        </message>
        <message>
            <source>exchange.decoder_tie_contradicts_weights</source>
            <translation>config.json bindet den Dekoder an die Worteinbettungen, aber die Datei hat verschiedene: dort tie_word_embeddings auf false setzen</translation>
        </message>
        <message>
            <source>exchange.export_norm_pre</source>
            <translation>dieses Modell hat norm: pre, und transformers kennt kein solches BERT: andere Programme würden mit denselben Gewichten etwas anderes berechnen; zum Exportieren family modernbert oder bert mit norm: post trainieren</translation>
        </message>
        <message>
            <source>exchange.export_target_exists</source>
            <translation>'{path}' gibt es, und kein Export wie dieser hat es geschrieben; einen anderen Ordner nennen</translation>
        </message>
        <message>
            <source>exchange.external_field_has_control_character</source>
            <translation>{field} enthält ein Steuerzeichen</translation>
        </message>
        <message>
            <source>exchange.external_field_list_invalid</source>
            <translation>{field} fehlt, ist keine Liste oder ist zu lang</translation>
        </message>
        <message>
            <source>exchange.external_field_missing</source>
            <translation>{field} fehlt</translation>
        </message>
        <message>
            <source>exchange.external_field_negative</source>
            <translation>{field} ist negativ</translation>
        </message>
        <message>
            <source>exchange.external_field_not_boolean</source>
            <translation>{field} fehlt oder ist kein Wahrheitswert</translation>
        </message>
        <message>
            <source>exchange.external_field_not_checkpoint_id</source>
            <translation>{field} ist keine Kennung eines Checkpoints</translation>
        </message>
        <message>
            <source>exchange.external_field_not_id</source>
            <translation>{field} ist keine Kennung aus 12 Buchstaben und Ziffern</translation>
        </message>
        <message>
            <source>exchange.external_field_not_integer</source>
            <translation>{field} fehlt oder ist keine ganze Zahl</translation>
        </message>
        <message>
            <source>exchange.external_field_not_number</source>
            <translation>{field} ist keine Zahl</translation>
        </message>
        <message>
            <source>exchange.external_field_not_object</source>
            <translation>{field} fehlt oder ist kein Objekt</translation>
        </message>
        <message>
            <source>exchange.external_field_not_text</source>
            <translation>{field} fehlt oder ist kein Text</translation>
        </message>
        <message>
            <source>exchange.external_field_out_of_range</source>
            <translation>{field} liegt außerhalb des Bereichs</translation>
        </message>
        <message>
            <source>exchange.external_field_too_long</source>
            <translation>{field} ist länger als {limit} Bytes</translation>
        </message>
        <message>
            <source>exchange.external_value_not_object</source>
            <translation>ist kein Objekt</translation>
        </message>
        <message>
            <source>exchange.file_not_run_archive</source>
            <translation>'{path}' ist kein Archiv eines Laufs; eine Datei nennen, die als Archiv exportiert wurde</translation>
        </message>
        <message>
            <source>exchange.head_size_unsupported</source>
            <translation>jeder von {heads} Köpfen hat {size} Merkmale; auf einer GPU brauchen fp32 und tf32 ein Vielfaches von 4, bf16 und fp16 eines von 8, höchstens 256</translation>
        </message>
        <message>
            <source>exchange.hidden_activation_unknown</source>
            <translation>{field} "{name}" ist unbekannt: gelu, gelu_new, relu oder silu verwenden</translation>
        </message>
        <message>
            <source>exchange.hidden_size_not_divisible</source>
            <translation>{value} ist nicht durch num_attention_heads {heads} teilbar</translation>
        </message>
        <message>
            <source>exchange.hidden_size_too_large</source>
            <translation>model.hidden_size ist {value}: höchstens 16384 ist möglich</translation>
        </message>
        <message>
            <source>exchange.key_value_heads_not_dividing</source>
            <translation>{keyValueHeads} teilt num_attention_heads {heads} nicht; jeder Kopf für Schlüssel und Werte dient gleich vielen Aufmerksamkeitsköpfen</translation>
        </message>
        <message>
            <source>exchange.model_config_cannot_be_read</source>
            <translation>config.json: {reason}</translation>
        </message>
        <message>
            <source>exchange.model_config_field_invalid</source>
            <translation>"{field}" in config.json ist {found}, nicht {expected}</translation>
        </message>
        <message>
            <source>exchange.model_config_field_missing</source>
            <translation>config.json enthält kein "{field}"</translation>
        </message>
        <message>
            <source>exchange.model_config_field_unused</source>
            <translation>{field} {value:exact} aus config.json wird beim Training nicht verwendet</translation>
        </message>
        <message>
            <source>exchange.model_config_layer_types_irregular</source>
            <translation>layer_types in config.json wird nicht unterstützt: es muss je Schicht full_attention oder sliding_attention nennen, mit full_attention in jeder n-ten Schicht von der ersten an</translation>
        </message>
        <message>
            <source>exchange.model_config_norm_unknown</source>
            <translation>"norm" in config.json ist "{found}", nicht post oder pre</translation>
        </message>
        <message>
            <source>exchange.model_config_not_json_object</source>
            <translation>config.json enthält kein JSON-Objekt</translation>
        </message>
        <message>
            <source>exchange.model_config_option_unsupported</source>
            <translation>{field} in config.json ist {found}; nur {supported} wird unterstützt</translation>
        </message>
        <message>
            <source>exchange.model_config_positions_too_few</source>
            <translation>max_position_embeddings in config.json ist {count}, aber die Positionen beginnen nach pad_token_id {pad}: für ein Token bleibt keine</translation>
        </message>
        <message>
            <source>exchange.model_config_spellings_differ</source>
            <translation>config.json enthält {first} {firstValue} und {second} {secondValue}, zwei Schreibweisen desselben Werts: den falschen entfernen</translation>
        </message>
        <message>
            <source>exchange.model_config_theta_invalid</source>
            <translation>{field} in config.json ist {found}, womit sich keine Positionen berechnen lassen; eine Zahl über 0 eintragen, etwa 10000</translation>
        </message>
        <message>
            <source>exchange.model_config_type_unsupported</source>
            <translation>config.json beschreibt ein Modell der Art "{type}"; bekannt sind {known}</translation>
        </message>
        <message>
            <source>exchange.model_config_width_not_divisible</source>
            <translation>hidden_size in config.json ist nicht durch num_attention_heads teilbar</translation>
        </message>
        <message>
            <source>exchange.model_family_contradicts_folder</source>
            <translation>{family} widerspricht model.init_from, dessen config.json {found} beschreibt; model.family weglassen</translation>
        </message>
        <message>
            <source>exchange.model_field_contradicts_folder</source>
            <translation>model.{field} ist {value}, aber model.init_from hat {found}: weglassen, um den Wert des Ordners zu nehmen</translation>
        </message>
        <message>
            <source>exchange.model_fraction_out_of_range</source>
            <translation>model.{field} ist {value:exact}: mindestens 0 und weniger als 1 verwenden</translation>
        </message>
        <message>
            <source>exchange.model_numbers_out_of_range</source>
            <translation>model.initializer_range und model.layer_norm_eps müssen über 0 liegen, model.attention_logit_l2 nicht unter 0</translation>
        </message>
        <message>
            <source>exchange.model_option_not_in_family</source>
            <translation>hat in {family} keine Bedeutung; weglassen</translation>
        </message>
        <message>
            <source>exchange.model_preset_not_in_family</source>
            <translation>{preset} ist keine Größe von {family}</translation>
        </message>
        <message>
            <source>exchange.model_size_out_of_range</source>
            <translation>model.{field} ist {value}: 1 bis {limit} angeben</translation>
        </message>
        <message>
            <source>exchange.neobert_size_not_multiple</source>
            <translation>{value} ist kein Vielfaches von 8, das neobert braucht, weil seine Ordner das Anderthalbfache enthalten</translation>
        </message>
        <message>
            <source>exchange.positive_integer_noun</source>
            <translation>eine ganze Zahl über 0</translation>
        </message>
        <message>
            <source>exchange.rotary_head_size_odd</source>
            <translation>{size} Merkmale je Aufmerksamkeitskopf lassen sich nicht paarweise drehen; Größen wählen, deren Quotient hidden_size / num_attention_heads gerade ist</translation>
        </message>
        <message>
            <source>exchange.safetensors_byte_place</source>
            <translation>Byte {position}</translation>
        </message>
        <message>
            <source>exchange.safetensors_file_too_short</source>
            <translation>sie hat {size} Bytes, weniger als die Länge eines Kopfs</translation>
        </message>
        <message>
            <source>exchange.safetensors_header_beyond_file</source>
            <translation>der Kopf endet hinter der Datei: sie ist abgeschnitten oder beschädigt</translation>
        </message>
        <message>
            <source>exchange.safetensors_header_start_invalid</source>
            <translation>der Kopf beginnt nicht mit {{</translation>
        </message>
        <message>
            <source>exchange.safetensors_header_too_long</source>
            <translation>der Kopf würde {size} Bytes belegen; höchstens 100 MB sind möglich</translation>
        </message>
        <message>
            <source>exchange.safetensors_invalid</source>
            <translation>keine gültige Safetensors-Datei: {problem}</translation>
        </message>
        <message>
            <source>exchange.safetensors_metadata_not_object</source>
            <translation>__metadata__ ist kein Objekt</translation>
        </message>
        <message>
            <source>exchange.safetensors_metadata_not_text</source>
            <translation>__metadata__ "{key}" ist kein Text</translation>
        </message>
        <message>
            <source>exchange.safetensors_number_not_finite</source>
            <translation>Zahl {index} von Tensor "{name}" ist in fp32 nicht endlich</translation>
        </message>
        <message>
            <source>exchange.safetensors_tensor_beyond_file</source>
            <translation>Tensor "{name}" endet hinter der Datei: sie ist abgeschnitten oder beschädigt</translation>
        </message>
        <message>
            <source>exchange.safetensors_tensor_dtype_unsupported</source>
            <translation>Tensor "{name}" hat das dtype {dtype}: F64, F32, F16, BF16 und I64 sind lesbar</translation>
        </message>
        <message>
            <source>exchange.safetensors_tensor_fields_invalid</source>
            <translation>Tensor "{name}" muss genau dtype, shape und data_offsets haben</translation>
        </message>
        <message>
            <source>exchange.safetensors_tensor_in_two_files</source>
            <translation>Tensor "{name}" steht in zwei Dateien</translation>
        </message>
        <message>
            <source>exchange.safetensors_tensor_lacks_dtype</source>
            <translation>Tensor "{name}" hat kein dtype</translation>
        </message>
        <message>
            <source>exchange.safetensors_tensor_not_writable</source>
            <translation>Tensor "{name}" kann nicht geschrieben werden: Seine Bytes passen nicht zu seiner Form, oder es gibt ihn zweimal</translation>
        </message>
        <message>
            <source>exchange.safetensors_tensor_offsets_invalid</source>
            <translation>Tensor "{name}" braucht zwei data_offsets</translation>
        </message>
        <message>
            <source>exchange.safetensors_tensor_size_mismatch</source>
            <translation>Tensor "{name}" belegt {size} Bytes; seine Form und sein dtype brauchen eine andere Zahl</translation>
        </message>
        <message>
            <source>exchange.safetensors_tensor_start_invalid</source>
            <translation>Tensor "{name}" beginnt bei Byte {found} der Daten, wo Byte {expected} folgen müsste</translation>
        </message>
        <message>
            <source>exchange.start_decoder_copied</source>
            <translation>den Gewichten fehlt eine eigene Ausgabeschicht; sie beginnt als Kopie der Wort-Embeddings</translation>
        </message>
        <message>
            <source>exchange.start_decoder_dropped</source>
            <translation>die Ausgabeschicht im Ordner wird nicht verwendet: durch model.tie_word_embeddings dienen die Wort-Embeddings als eine</translation>
        </message>
        <message>
            <source>exchange.start_dropout_differs</source>
            <translation>trainiert mit model.{field} {value:exact}; config.json im Ordner enthält {found:exact}</translation>
        </message>
        <message>
            <source>exchange.start_head_fresh</source>
            <translation>{count:integer} {count?Tensor|Tensoren} des Kopfs, der maskierte Tokens vorhersagt, {count?fehlt|fehlen} im Ordner, etwa '{name}'; {count?er beginnt|sie beginnen} untrainiert</translation>
        </message>
        <message>
            <source>exchange.start_tensors_unused</source>
            <translation>{count:integer} {count?Tensor im Ordner wird|Tensoren im Ordner werden} nicht verwendet, etwa '{name}'; das Modell hat keinen solchen Teil</translation>
        </message>
        <message>
            <source>exchange.start_vocabulary_extended</source>
            <translation>die Embeddings von {count:integer} neuen Tokens beginnen beim Mittelwert der bekannten</translation>
        </message>
        <message>
            <source>exchange.status_when_archived</source>
            <translation>war {status}, als das Archiv entstand</translation>
        </message>
        <message>
            <source>exchange.tensor_data_offsets_invalid</source>
            <translation>die data_offsets von Tensor "{name}" sind kein Bereich</translation>
        </message>
        <message>
            <source>exchange.tensor_shape_malformed</source>
            <translation>die Form von Tensor "{name}" ist keine Liste von höchstens 16 Größen</translation>
        </message>
        <message>
            <source>exchange.tensor_shape_size_invalid</source>
            <translation>die Form von Tensor "{name}" enthält {value}</translation>
        </message>
        <message>
            <source>exchange.tensors_share_meaning</source>
            <translation>zwei verschiedene Tensoren bedeuten beide "{name}"</translation>
        </message>
        <message>
            <source>exchange.tile_family_differs</source>
            <translation>der Ordner enthält ein Modell der Familie {found}, das neue gehört zur Familie {family}; nur Modelle derselben Familie lassen sich vergrößern</translation>
        </message>
        <message>
            <source>exchange.tile_source_larger</source>
            <translation>{field} ist im Ordner {found}, im neuen Modell {value}; zum Vergrößern darf kein Maß kleiner sein: model.{field} erhöhen</translation>
        </message>
        <message>
            <source>exchange.trailing_bytes_belong_to_none</source>
            <translation>{count} Bytes am Ende gehören zu keinem Tensor</translation>
        </message>
        <message>
            <source>exchange.vocabulary_larger_than_weights</source>
            <translation>das Vokabular hat {count} Tokens, {difference} mehr als die Gewichte von model.init_from ({expected}); tokenizer.path auf den Tokenizer setzen, der zu diesen Gewichten gehört, oder, wenn es dieser mit Tokens am Ende ist, model.extend_vocab: true setzen</translation>
        </message>
        <message>
            <source>exchange.vocabulary_smaller_than_weights</source>
            <translation>das Vokabular hat {count} Tokens, {difference} weniger als die Gewichte von model.init_from ({expected}); tokenizer.path auf den unveränderten Tokenizer setzen, der zu diesen Gewichten gehört</translation>
        </message>
        <message>
            <source>exchange.weight_index_lacks_map</source>
            <translation>der Index hat keine brauchbare weight_map</translation>
        </message>
        <message>
            <source>exchange.weight_index_names_invalid_file</source>
            <translation>das Verzeichnis legt Tensor "{tensor}" in {value}, und das ist kein Dateiname in seinem Ordner</translation>
        </message>
        <message>
            <source>exchange.weights_are_pickled</source>
            <translation>die Gewichte in '{folder}' liegen nur als {file} vor, einem Format, das beim Lesen Code ausführen kann; einmal umwandeln: python3 -c "from transformers import AutoModelForMaskedLM as M; M.from_pretrained('{folder}').save_pretrained('{folder}')"</translation>
        </message>
        <message>
            <source>guard.first_batch_after_resume</source>
            <translation>der erste globale Batch nach dem Fortsetzen ({batch}ba)</translation>
        </message>
        <message>
            <source>guard.hang_detected</source>
            <translation>guard.hang: kein Fortschritt bei „{section}“ seit {seconds:value} s, die Grenze ist {limit:value} s: gilt als hängend</translation>
        </message>
        <message>
            <source>guard.hang_suspected</source>
            <translation>guard.hang: kein Fortschritt bei „{section}“ seit {seconds:value} s, die Grenze ist {limit:value} s</translation>
        </message>
        <message>
            <source>guard.resumed_loss_differs</source>
            <translation>{batch} hat einen Verlust von {loss:value} und hatte vorher {before:value}: der Unterschied ist {difference:value}</translation>
        </message>
        <message>
            <source>guard.resumed_loss_differs_by_rounding</source>
            <translation>{batch} hat einen Verlust von {loss:value} und hatte vorher {before:value}: der Unterschied ist {difference:value}, nicht mehr als Rundung</translation>
        </message>
        <message>
            <source>guard.resumed_loss_has_no_reference</source>
            <translation>{subject}: es gibt keine frühere Zeile, mit der sich der Verlust vergleichen ließe</translation>
        </message>
        <message>
            <source>guard.resumed_loss_is_identical</source>
            <translation>{subject} hat denselben Verlust wie zuvor, {loss:value}, gleich bis zum letzten Bit</translation>
        </message>
        <message>
            <source>guard.section_checkpoint</source>
            <translation>ein Checkpoint</translation>
        </message>
        <message>
            <source>guard.section_evaluation</source>
            <translation>eine Auswertung</translation>
        </message>
        <message>
            <source>guard.section_setup</source>
            <translation>Einrichten</translation>
        </message>
        <message>
            <source>guard.section_step</source>
            <translation>ein Schritt</translation>
        </message>
        <message>
            <source>kernels.activation_gradient_kernel</source>
            <translation>der Kernel für den Gradienten der Aktivierung</translation>
        </message>
        <message>
            <source>kernels.activation_kernel</source>
            <translation>der Kernel der Aktivierung</translation>
        </message>
        <message>
            <source>kernels.cross_entropy_kernel</source>
            <translation>der Kernel der Kreuzentropie</translation>
        </message>
        <message>
            <source>kernels.device_unusable</source>
            <translation>Die GPU kann nicht benutzt werden: {reason}</translation>
        </message>
        <message>
            <source>kernels.dropout_kernel</source>
            <translation>der Kernel für Dropout</translation>
        </message>
        <message>
            <source>kernels.embedding_gradient_kernel</source>
            <translation>der Kernel für den Gradienten der Einbettungen</translation>
        </message>
        <message>
            <source>kernels.embedding_kernel</source>
            <translation>der Kernel der Einbettungen</translation>
        </message>
        <message>
            <source>kernels.join_kernel</source>
            <translation>der Kernel, der Gradienten zusammenfügt</translation>
        </message>
        <message>
            <source>kernels.kernel_not_launched</source>
            <translation>{kernel} kann nicht starten, oder eine frühere Operation auf der GPU ist gescheitert: {reason}</translation>
        </message>
        <message>
            <source>kernels.kernel_row_width_unsupported</source>
            <translation>{kernel} unterstützt keine Zeilen mit {width} Merkmalen</translation>
        </message>
        <message>
            <source>kernels.layer_norm_gradient_kernel</source>
            <translation>der Kernel für den Gradienten von LayerNorm</translation>
        </message>
        <message>
            <source>kernels.layer_norm_kernel</source>
            <translation>der Kernel für LayerNorm</translation>
        </message>
        <message>
            <source>kernels.no_code_for_device</source>
            <translation>Dieses Programm enthält keinen Code für eine GPU der Compute Capability {capability}, nur für {architectures}; auf diesem Rechner übersetzen, oder mit -DBATCHWISE_CUDA_ARCHITECTURES=all</translation>
        </message>
        <message>
            <source>kernels.rotary_kernel</source>
            <translation>der Kernel der rotierten Positionen</translation>
        </message>
        <message>
            <source>model.model_out_of_memory</source>
            <translation>nicht genug Speicher für die {count} Parameter des Modells mit ihren Gradienten: {reason}</translation>
        </message>
        <message>
            <source>model.model_tensor_shape_mismatch</source>
            <translation>Tensor "{name}" hat die Form {found}, das Modell braucht {expected}</translation>
        </message>
        <message>
            <source>optim.optimizer_state_shape_mismatch</source>
            <translation>der gespeicherte Zustand "{name}" hat nicht die Form dessen im Optimierer</translation>
        </message>
        <message>
            <source>optim.optimizer_state_unknown</source>
            <translation>der Optimierer hat keinen Zustand "{name}"</translation>
        </message>
        <message>
            <source>run.add_tokens_at_the_end</source>
            <translation>den Tokenizer des Ordners mit Tokens an seinem Ende angeben oder model.extend_vocab weglassen</translation>
        </message>
        <message>
            <source>run.another_microbatch</source>
            <translation>ein anderer Mikrobatch</translation>
        </message>
        <message>
            <source>run.assigned_run_id_needs_journal</source>
            <translation>launch.journal: ein Lauf, dessen Kennung anderswo vergeben wurde, wird in einem Journal aufgezeichnet; always nehmen</translation>
        </message>
        <message>
            <source>run.auto_microbatch_measured</source>
            <translation>batch.device_train_microbatch_size: auto ist {count}, bei {limit:bytes} Speicher; gemessener Spitzenbedarf:</translation>
        </message>
        <message>
            <source>run.auto_microbatch_on_processor</source>
            <translation>batch.device_train_microbatch_size: auto ist {count}, etwa {tokens} Tokens je Durchgang; devices.memory_limit würde es begrenzen</translation>
        </message>
        <message>
            <source>run.averaged_checkpoint_noun</source>
            <translation>Checkpoint {id}, das Mittel aus mehreren,</translation>
        </message>
        <message>
            <source>run.awaited_run_not_started</source>
            <translation>es wurde kein Lauf gestartet</translation>
        </message>
        <message>
            <source>run.batch_search_while_training</source>
            <translation>dieser Prozess trainiert schon; die Batchgröße danach suchen</translation>
        </message>
        <message>
            <source>run.batch_size_counts_packs</source>
            <translation>zählt mit einem Tokenbudget Pakete: ein Schritt nimmt {packs} Pakete von bis zu {tokens} Token, etwa {samples} Beispiele</translation>
        </message>
        <message>
            <source>run.building_model_phase</source>
            <translation>Modell bauen</translation>
        </message>
        <message>
            <source>run.checkpoint_at_end_only</source>
            <translation>ist länger als der Lauf ({batches} globale Batches); vor dem Ende gibt es keinen Checkpoint, ein abgebrochener Lauf beginnt also von vorn</translation>
        </message>
        <message>
            <source>run.checkpoint_config_context</source>
            <translation>der Checkpoint</translation>
        </message>
        <message>
            <source>run.checkpoint_config_invalid</source>
            <translation>die Konfiguration im Checkpoint: {reason}</translation>
        </message>
        <message>
            <source>run.checkpoint_fact_missing</source>
            <translation>der Checkpoint nennt nicht: {name}</translation>
        </message>
        <message>
            <source>run.checkpoint_lacks_optimizer_state</source>
            <translation>der Checkpoint hat keinen Optimiererzustand für {name}</translation>
        </message>
        <message>
            <source>run.checkpoint_lacks_run_state</source>
            <translation>der Checkpoint enthält den Zustand des Laufs nicht</translation>
        </message>
        <message>
            <source>run.checkpoint_lacks_weights</source>
            <translation>der Checkpoint hat keine Gewichte für {name}</translation>
        </message>
        <message>
            <source>run.checkpoint_model_too_short</source>
            <translation>{length} ist länger als die {positions} Positionen, die das Modell des Checkpoints hat; höchstens {positions} angeben</translation>
        </message>
        <message>
            <source>run.checkpoint_resolution_missing</source>
            <translation>Checkpoint {checkpoint} enthält den berechneten Wert von {field} nicht; einen anderen Checkpoint nehmen, oder mit geänderter Konfiguration abzweigen</translation>
        </message>
        <message>
            <source>run.checkpoint_resolved_value_not_text</source>
            <translation>der aufgelöste Wert {name} im Checkpoint ist kein Text</translation>
        </message>
        <message>
            <source>run.checkpoint_resolved_values_malformed</source>
            <translation>die aufgelösten Werte im Checkpoint sind kein JSON-Objekt</translation>
        </message>
        <message>
            <source>run.checkpoints_exceed_free_space</source>
            <translation>{count} {count?Checkpoint braucht|Checkpoints brauchen} etwa {needed:bytes}, frei sind {free:bytes}</translation>
        </message>
        <message>
            <source>run.choose_smaller_model</source>
            <translation>ein kleineres Modell nehmen: schon seine Gewichte, Gradienten und Momente sind zu viel</translation>
        </message>
        <message>
            <source>run.cluster_has_no_default_partition</source>
            <translation>dieser Cluster hat keine voreingestellte Partition; eine nennen: {known}</translation>
        </message>
        <message>
            <source>run.config_change_needs_fork</source>
            <translation>{change} würde daraus einen anderen Lauf machen; als Abzweigung ist es möglich</translation>
        </message>
        <message>
            <source>run.cost_from_speed</source>
            <translation>hier zu erwarten: {tokens} Tokens in etwa {time} Training, nach der Geschwindigkeit von Lauf {run}; Tensoren von etwa {bytes:bytes} je Gerät</translation>
        </message>
        <message>
            <source>run.cost_guessed</source>
            <translation>hier zu erwarten: {tokens} Tokens in etwa {time} Training, grob geraten, weil in diesem Arbeitsbereich noch kein solches Modell auf solchen Geräten trainiert wurde; Tensoren von etwa {bytes:bytes} je Gerät</translation>
        </message>
        <message>
            <source>run.cost_guessed_without_workspace</source>
            <translation>hier zu erwarten: {tokens} Tokens in etwa {time} Training, grob geraten; Tensoren von etwa {bytes:bytes} je Gerät</translation>
        </message>
        <message>
            <source>run.data_field_names_no_text</source>
            <translation>nennt keinen Text; Dateien, Ordner oder Muster wie text/*.txt angeben</translation>
        </message>
        <message>
            <source>run.devices_need_gpu_job</source>
            <translation>devices ist '{devices}', aber der Auftrag verlangt keine GPUs; GPUs verlangen, oder cpu nehmen</translation>
        </message>
        <message>
            <source>run.devices_unsuitable_for_gpu_job</source>
            <translation>devices ist '{devices}', aber der Auftrag verlangt GPUs; auto oder cuda nehmen, oder keine GPUs verlangen</translation>
        </message>
        <message>
            <source>run.devices_unsuitable_for_slurm_ranks</source>
            <translation>devices ist '{devices}', aber der Auftrag hat {ranks} Prozesse mit je einem Gerät; cpu nehmen</translation>
        </message>
        <message>
            <source>run.early_stop_lacks_evaluation_data</source>
            <translation>guard.early_stop.action: es gibt nichts zum Auswerten, weil weder data.eval noch data.holdout ein Dokument ergab; data.eval angeben, oder off nehmen</translation>
        </message>
        <message>
            <source>run.evaluated_at_end_only</source>
            <translation>ist länger als der Lauf ({batches} globale Batches); ausgewertet wird also nur am Ende</translation>
        </message>
        <message>
            <source>run.evaluation_data_differs_from_run</source>
            <translation>die Auswertungsdaten sind andere als bei Lauf {run}: die Ergebnisse sind mit den früheren nicht vergleichbar</translation>
        </message>
        <message>
            <source>run.extended_tokenizer_differs</source>
            <translation>Token {id} ist '{found}', im Ordner der Gewichte '{expected}'; Embeddings gehören zu Nummern</translation>
        </message>
        <message>
            <source>run.failed_run_awaits_checkpoint</source>
            <translation>der Lauf ist gescheitert und wartet auf einen Checkpoint, der unterwegs ist: {reason}</translation>
        </message>
        <message>
            <source>run.fork_keeps_state</source>
            <translation>die Abzweigung behält Gewichte, Momente des Optimierers und Uhren von Checkpoint {checkpoint} bei Schritt {step}; was sich ändert, gilt ab dort als weitere Phase</translation>
        </message>
        <message>
            <source>run.gpus_named_fewer_found</source>
            <translation>{devices} ist genannt, und der NVIDIA-Treiber zeigt {gpus} {gpus?GPU|GPUs}</translation>
        </message>
        <message>
            <source>run.gpus_named_none_found</source>
            <translation>{devices} ist genannt, und der NVIDIA-Treiber zeigt keine GPU</translation>
        </message>
        <message>
            <source>run.gpus_per_node_mismatch_ranks</source>
            <translation>es sind {gpus} GPUs und {ranks} Prozesse auf jedem Rechner; jeder Prozess hat eine GPU, also dieselbe Zahl angeben</translation>
        </message>
        <message>
            <source>run.grant_account_read_permission</source>
            <translation>diesem Konto das Leserecht geben</translation>
        </message>
        <message>
            <source>run.input_file_not_readable</source>
            <translation>{path} ist für dieses Konto nicht lesbar</translation>
        </message>
        <message>
            <source>run.keep_fewer_checkpoints</source>
            <translation>weniger Checkpoints behalten, oder einen Arbeitsbereich auf einer anderen Platte öffnen</translation>
        </message>
        <message>
            <source>run.last_run_rows_not_stored</source>
            <translation>die letzten Zeilen des Laufs sind nicht gespeichert</translation>
        </message>
        <message>
            <source>run.launch_request_malformed</source>
            <translation>das ist kein Startauftrag; erwartet wird ein JSON-Objekt mit dem Schema "{schema}"</translation>
        </message>
        <message>
            <source>run.launcher_process_count_mismatch</source>
            <translation>{launcher} hat {expected} Prozesse gestartet, aber MPI sieht {found}; mit srun das Plug-in nennen: srun --mpi=pmix</translation>
        </message>
        <message>
            <source>run.learning_rate_course_kept</source>
            <translation>die Lernrate behält den beim Start ausgerechneten Verlauf, und dahinter seinen letzten Wert; den Plan neu zu rechnen verteilt ihn über die neue Länge</translation>
        </message>
        <message>
            <source>run.lengths_folder_not_writable</source>
            <translation>die Längen können unter {folder} nicht geschrieben werden</translation>
        </message>
        <message>
            <source>run.library_is_no_trainer</source>
            <translation>er ist kein Trainer von Batchwise</translation>
        </message>
        <message>
            <source>run.library_made_no_trainer</source>
            <translation>er machte keinen Trainer</translation>
        </message>
        <message>
            <source>run.lower_field_or_recompute</source>
            <translation>{field} senken oder devices.activation_checkpointing einschalten</translation>
        </message>
        <message>
            <source>run.lower_field_or_smaller_model</source>
            <translation>{field} senken oder ein kleineres Modell nehmen</translation>
        </message>
        <message>
            <source>run.lower_microbatch</source>
            <translation>batch.device_train_microbatch_size auf höchstens {units} setzen</translation>
        </message>
        <message>
            <source>run.lower_microbatch_or_recompute</source>
            <translation>batch.device_train_microbatch_size auf höchstens {units} setzen oder devices.activation_checkpointing einschalten</translation>
        </message>
        <message>
            <source>run.max_duration_reached_at_checkpoint</source>
            <translation>max_duration: Lauf {run} hat bei Checkpoint {checkpoint} schon {done} trainiert, bis {target} bleibt also nichts zu trainieren; ein längeres max_duration angeben, oder von einem früheren Checkpoint abzweigen</translation>
        </message>
        <message>
            <source>run.max_duration_reached_with_batches</source>
            <translation>max_duration: Lauf {run} hat bei Checkpoint {checkpoint} schon {done} ({batches}) trainiert, bis {target} bleibt also nichts zu trainieren; ein längeres max_duration angeben, oder von einem früheren Checkpoint abzweigen</translation>
        </message>
        <message>
            <source>run.maximum_batch_needs_memory_limit</source>
            <translation>batch.use_maximum_batch_size braucht eine Grenze; auf dem Prozessor devices.memory_limit setzen</translation>
        </message>
        <message>
            <source>run.memory_forecast_has_no_samples</source>
            <translation>es gibt keine Beispiele, nach denen der Speicherbedarf zu schätzen wäre</translation>
        </message>
        <message>
            <source>run.microbatch_search_needs_memory_limit</source>
            <translation>auf dem Prozessor gibt es keine Speichergrenze, gegen die gesucht werden könnte; devices.memory_limit setzen, wie 2GiB</translation>
        </message>
        <message>
            <source>run.microbatch_search_phase</source>
            <translation>größten Mikrobatch suchen</translation>
        </message>
        <message>
            <source>run.model_has_learned_positions</source>
            <translation>wirkt bei einem Modell der Familie {family} nicht, dessen Positionen gelernt sind; weglassen oder eine Familie mit rotierenden Positionen wählen, etwa modernbert</translation>
        </message>
        <message>
            <source>run.name_existing_files</source>
            <translation>Dateien nennen, die es gibt; relative Pfade beginnen bei {folder}</translation>
        </message>
        <message>
            <source>run.name_hugging_face_folder</source>
            <translation>einen Ordner im Aufbau von Hugging Face nennen, oder leer lassen für frische Gewichte</translation>
        </message>
        <message>
            <source>run.name_place_account_can_write</source>
            <translation>einen Ort angeben, an den dieses Konto schreiben darf</translation>
        </message>
        <message>
            <source>run.name_vocabulary_of_model</source>
            <translation>die tokenizer.json oder vocab.txt nennen, mit der das Modell von model.init_from trainiert wurde</translation>
        </message>
        <message>
            <source>run.name_vocabulary_or_leave_empty</source>
            <translation>eine tokenizer.json, eine vocab.txt oder einen Ordner mit einer davon nennen, oder es leer lassen, um einen Tokenizer zu trainieren</translation>
        </message>
        <message>
            <source>run.open_writable_workspace</source>
            <translation>einen anderen öffnen, oder diesem Konto das Schreibrecht geben</translation>
        </message>
        <message>
            <source>run.option_chain</source>
            <translation>die Zahl der Aufträge in Folge</translation>
        </message>
        <message>
            <source>run.option_cores_per_rank</source>
            <translation>die Zahl der Kerne je Prozess</translation>
        </message>
        <message>
            <source>run.option_gpus_per_node</source>
            <translation>die Zahl der GPUs je Rechner</translation>
        </message>
        <message>
            <source>run.option_nodes</source>
            <translation>die Zahl der Rechner</translation>
        </message>
        <message>
            <source>run.option_ranks_per_node</source>
            <translation>die Zahl der Prozesse je Rechner</translation>
        </message>
        <message>
            <source>run.option_ranks_times_cores</source>
            <translation>die Zahl der Kerne aller Prozesse eines Rechners</translation>
        </message>
        <message>
            <source>run.option_time</source>
            <translation>die Zeitgrenze eines Auftrags in Minuten</translation>
        </message>
        <message>
            <source>run.partition_cores_per_node</source>
            <translation>{count} Kerne je Rechner</translation>
        </message>
        <message>
            <source>run.partition_gpus_per_node</source>
            <translation>{count} GPUs je Rechner</translation>
        </message>
        <message>
            <source>run.partition_is_down</source>
            <translation>Partition {name} führt zurzeit keine Aufträge aus (sie ist nicht in Betrieb); eine andere wählen oder später abschicken</translation>
        </message>
        <message>
            <source>run.partition_node_count</source>
            <translation>{count} Rechner</translation>
        </message>
        <message>
            <source>run.partition_not_found</source>
            <translation>es gibt keine Partition '{name}'; der Cluster hat {known}</translation>
        </message>
        <message>
            <source>run.partition_time_limit</source>
            <translation>eine Grenze von {minutes} Minuten</translation>
        </message>
        <message>
            <source>run.path_not_on_network_storage</source>
            <translation>{subject} {path} liegt auf keinem Netzdateisystem: jeder Rechner muss unter diesem Pfad dasselbe haben</translation>
        </message>
        <message>
            <source>run.probe_fits</source>
            <translation>{text} {units} braucht {peak:bytes};</translation>
        </message>
        <message>
            <source>run.probe_too_much</source>
            <translation>{text} {units}: {peak:bytes} (zu viel)</translation>
        </message>
        <message>
            <source>run.process_already_training</source>
            <translation>dieser Prozess trainiert schon einen Lauf; warten oder ihn anhalten, oder für einen zweiten Lauf einen anderen Prozess starten</translation>
        </message>
        <message>
            <source>run.process_stopped_accepting_commands</source>
            <translation>Prozess {process} nimmt keine Befehle mehr an</translation>
        </message>
        <message>
            <source>run.process_unreachable_for_commands</source>
            <translation>Prozess {process} nimmt keine Befehle an: er ist zu Ende, startet noch, oder läuft auf einem anderen Rechner</translation>
        </message>
        <message>
            <source>run.processor_ranks_need_mpi</source>
            <translation>Ränge auf Prozessoren reden über MPI, das {launcher} nicht gestartet hat; mpirun nehmen, oder srun --mpi=pmix</translation>
        </message>
        <message>
            <source>run.queue_already_resumed_entry</source>
            <translation>die Warteschlange hat diesen Lauf schon einmal fortgesetzt; sie setzt ihn wieder fort, wenn sie neu gestartet wird; sonst den Lauf von Hand fortsetzen</translation>
        </message>
        <message>
            <source>run.queue_entry_from_older_version</source>
            <translation>er wurde vor dieser Version unterbrochen; von Hand fortsetzen</translation>
        </message>
        <message>
            <source>run.queue_entry_not_found</source>
            <translation>es gibt keinen Eintrag '{id}' in der Warteschlange; batchwise queue list zeigt sie</translation>
        </message>
        <message>
            <source>run.queue_entry_process_unknown</source>
            <translation>ein Eintrag der Warteschlange hat einen unbekannten Prozess</translation>
        </message>
        <message>
            <source>run.queue_entry_run_already_started</source>
            <translation>nur ein Eintrag, dessen Lauf noch nicht begonnen hat, kann zurückgegeben werden</translation>
        </message>
        <message>
            <source>run.queue_entry_status_unknown</source>
            <translation>ein Eintrag der Warteschlange hat einen unbekannten Zustand</translation>
        </message>
        <message>
            <source>run.queue_held_by_failed</source>
            <translation>Lauf {run} ist gescheitert</translation>
        </message>
        <message>
            <source>run.queue_held_by_interrupted</source>
            <translation>Lauf {run} wurde unterbrochen</translation>
        </message>
        <message>
            <source>run.queue_held_by_stopped</source>
            <translation>Lauf {run} wurde angehalten</translation>
        </message>
        <message>
            <source>run.queued_run_cannot_resume</source>
            <translation>er kann nicht fortgesetzt werden: {reason}</translation>
        </message>
        <message>
            <source>run.queued_run_deleted</source>
            <translation>sein Lauf wurde gelöscht</translation>
        </message>
        <message>
            <source>run.queued_run_in_journal</source>
            <translation>sein Lauf steht nur in einem Journal; `batchwise runs sync` holt ihn herein</translation>
        </message>
        <message>
            <source>run.queued_run_is_training</source>
            <translation>Lauf {run} trainiert; ihn zuerst anhalten</translation>
        </message>
        <message>
            <source>run.queued_run_unreadable</source>
            <translation>sein Lauf ist nicht lesbar: {reason}</translation>
        </message>
        <message>
            <source>run.rampup_within_first_batch</source>
            <translation>{duration} endet im ersten globalen Batch, der Anstieg ändert also nichts; einen längeren nehmen</translation>
        </message>
        <message>
            <source>run.rank_did_not_run</source>
            <translation>der Rang lief nicht</translation>
        </message>
        <message>
            <source>run.rank_file_accessible_to_others</source>
            <translation>andere können '{path}' schreiben oder lesen; die Datei entfernen und neu starten</translation>
        </message>
        <message>
            <source>run.rank_key_missing</source>
            <translation>ein anderer Rang konnte seinen Schlüssel für die Verbindung nicht erzeugen; seine Fehlermeldung nennt den Grund</translation>
        </message>
        <message>
            <source>run.rank_port_invalid</source>
            <translation>{variable} ist „{text}“, aber ein TCP-Port ist eine Zahl bis 65535</translation>
        </message>
        <message>
            <source>run.rank_secret_remedy</source>
            <translation>das Geheimnis der Ränge; oder {variable} für alle Ränge auf denselben zufälligen Text setzen</translation>
        </message>
        <message>
            <source>run.rank_training_data_differs</source>
            <translation>dieser Rang sieht andere Trainingsdaten als Rang 0: data.train und Arbeitsbereich müssen liegen, wo jeder Rechner des Laufs dieselben Dateien findet</translation>
        </message>
        <message>
            <source>run.rank_zero_message_malformed</source>
            <translation>Rang 0 sagte etwas, das dieser Rang nicht versteht: {text}</translation>
        </message>
        <message>
            <source>run.rank_zero_port_unavailable</source>
            <translation>Rang 0 konnte keinen TCP-Port öffnen, über den sich die anderen Ränge mit ihm verbinden; deshalb startet kein Rang. Die Fehlermeldung von Rang 0 nennt die Ursache: diese beheben, dann alle Ränge neu starten</translation>
        </message>
        <message>
            <source>run.ranks_cannot_find_each_other</source>
            <translation>die Ränge finden einander nicht: {launcher} setzt weder die Variablen von MPI noch MASTER_ADDR; mit mpirun starten, oder mit srun --mpi=pmix</translation>
        </message>
        <message>
            <source>run.ranks_on_different_devices</source>
            <translation>Rang 0 trainiert auf {device}, aber Rang {rank} auf {other}: devices.use setzen, oder nachsehen, warum jener Rechner kein anderes Gerät bietet</translation>
        </message>
        <message>
            <source>run.rescue_journal_remedy</source>
            <translation>{path}; 'batchwise runs sync --from {path}' holt es herein</translation>
        </message>
        <message>
            <source>run.resolved_change_needs_stretch</source>
            <translation>{change} wurde beim Start ausgerechnet und bleibt; den Plan neu rechnen, oder abzweigen</translation>
        </message>
        <message>
            <source>run.resume_checkpoint_not_finite</source>
            <translation>Checkpoint {checkpoint} enthält Zahlen, die nicht endlich sind; den neuesten guten wählen</translation>
        </message>
        <message>
            <source>run.resume_checkpoint_unusable</source>
            <translation>Checkpoint {checkpoint} ist nicht brauchbar: {reason}</translation>
        </message>
        <message>
            <source>run.resume_needs_run_journal</source>
            <translation>mit Journal (launch.journal) lassen sich nur Läufe fortsetzen, die eines haben; '{run}' auf dem Rechner fortsetzen, der die Datenbank des Arbeitsbereichs geöffnet hat</translation>
        </message>
        <message>
            <source>run.resumed_on_other_device_kind</source>
            <translation>andere Art von Gerät</translation>
        </message>
        <message>
            <source>run.resumed_on_other_devices</source>
            <translation>andere Geräte</translation>
        </message>
        <message>
            <source>run.resumed_training_data</source>
            <translation>die Trainingsdaten</translation>
        </message>
        <message>
            <source>run.resumed_vocabulary</source>
            <translation>der Tokenizer</translation>
        </message>
        <message>
            <source>run.resumed_with_other_deterministic_setting</source>
            <translation>andere Einstellung von devices.deterministic</translation>
        </message>
        <message>
            <source>run.resumed_with_other_library_versions</source>
            <translation>andere Versionen der Bibliotheken</translation>
        </message>
        <message>
            <source>run.resumed_with_other_thread_count</source>
            <translation>andere Zahl von Threads je Gerät</translation>
        </message>
        <message>
            <source>run.resumes_bit_for_bit</source>
            <translation>geht weiter von Checkpoint {checkpoint} bei Schritt {step}, Bit für Bit</translation>
        </message>
        <message>
            <source>run.resumes_closely</source>
            <translation>setzt ab Checkpoint {checkpoint} bei Schritt {step} fort: gleiche Samples und Masken, Zahlen können in den letzten Bits abweichen ({differences})</translation>
        </message>
        <message>
            <source>run.roll_back_impossible</source>
            <translation>{reason}; Zurücksetzen ist nicht möglich: {cause}</translation>
        </message>
        <message>
            <source>run.roll_back_uses_other_checkpoint</source>
            <translation>es gibt keinen Checkpoint von checkpoint.interval mehr, auf den zurückgesetzt werden kann; {checkpoint}, aus einem anderen Grund ({reason}) gespeichert, tritt an seine Stelle</translation>
        </message>
        <message>
            <source>run.rolled_back_to_checkpoint</source>
            <translation>zurückgesetzt auf Checkpoint {checkpoint} (Schritt {checkpointStep}): {reason}; übergeht, was danach kam, Schritte {firstStep} bis {lastStep} (globale Batches von {firstBatch}ba bis {lastBatch}ba, Beispiele von {firstSample}sp bis {lastSample}sp)</translation>
        </message>
        <message>
            <source>run.rows_lost_with_store</source>
            <translation>seine Zeilen sind mit dem Speicher verloren</translation>
        </message>
        <message>
            <source>run.run_active_in_controller</source>
            <translation>dieses Fenster verfolgt schon einen Lauf; warten oder ihn zuerst anhalten</translation>
        </message>
        <message>
            <source>run.run_already_in_slurm_queue</source>
            <translation>Lauf {run} ist schon in der Warteschlange, als Auftrag {job}</translation>
        </message>
        <message>
            <source>run.run_already_reached_max_duration</source>
            <translation>{run} hatte seine max_duration von {limit} schon erreicht; eine längere angeben, um weiter zu trainieren</translation>
        </message>
        <message>
            <source>run.run_checkpoint_not_found</source>
            <translation>Lauf {run} hat keinen Checkpoint '{checkpoint}'; `batchwise checkpoints list` nennt alle Checkpoints</translation>
        </message>
        <message>
            <source>run.run_continues_in_own_process</source>
            <translation>der Lauf geht in seinem eigenen Prozess weiter</translation>
        </message>
        <message>
            <source>run.run_continues_in_slurm_job</source>
            <translation>der Lauf geht in seinem Slurm-Auftrag weiter</translation>
        </message>
        <message>
            <source>run.run_could_not_be_started</source>
            <translation>der Lauf konnte nicht gestartet werden</translation>
        </message>
        <message>
            <source>run.run_did_not_start</source>
            <translation>der Lauf begann nicht</translation>
        </message>
        <message>
            <source>run.run_end_and_rows_saved_elsewhere</source>
            <translation>{reason}; das Ende des Laufs, mit {rows:integer} {rows?Zeile|Zeilen} und Notizen, die dem Speicher fehlen, liegt in {place}</translation>
        </message>
        <message>
            <source>run.run_end_not_saved_elsewhere</source>
            <translation>{reason}; sie lassen sich auch anderswo nicht aufheben: {problem}</translation>
        </message>
        <message>
            <source>run.run_end_not_stored</source>
            <translation>das Ende des Laufs ist nicht gespeichert: {reason}</translation>
        </message>
        <message>
            <source>run.run_end_saved_elsewhere</source>
            <translation>{reason}; das Ende des Laufs liegt in {place}</translation>
        </message>
        <message>
            <source>run.run_fails_as_store_damaged</source>
            <translation>{reason}; kein Warten hilft dagegen: der Lauf endet in {limit:value} Sekunden als gescheitert</translation>
        </message>
        <message>
            <source>run.run_fails_unless_store_returns</source>
            <translation>{reason}; der Lauf endet als gescheitert, wenn das nicht binnen {limit:value} Sekunden rückgängig gemacht wird</translation>
        </message>
        <message>
            <source>run.run_has_no_checkpoint</source>
            <translation>Lauf {run} hat keinen Checkpoint, von dem es weitergehen könnte</translation>
        </message>
        <message>
            <source>run.run_has_no_good_checkpoint</source>
            <translation>Lauf {run} hat keinen guten Checkpoint: {reasons}</translation>
        </message>
        <message>
            <source>run.run_has_no_measured_speed</source>
            <translation>der Lauf '{run}' hat noch nichts trainiert, also gibt es keine Geschwindigkeit, nach der sich rechnen ließe</translation>
        </message>
        <message>
            <source>run.run_input_differs</source>
            <translation>{subject}: anders als bei Lauf {run}</translation>
        </message>
        <message>
            <source>run.run_input_must_match</source>
            <translation>{subject}: nicht dasselbe, womit Lauf {run} trainiert wurde (data.train, tokenizer); dieselben Dateien angeben, oder einen neuen Lauf abzweigen</translation>
        </message>
        <message>
            <source>run.run_never_evaluated</source>
            <translation>ist 0 und data.eval ist leer; es gibt also keinen Text zum Auswerten und keinen Verlust der Auswertung</translation>
        </message>
        <message>
            <source>run.run_no_longer_queued</source>
            <translation>Lauf {run} wartet nicht mehr</translation>
        </message>
        <message>
            <source>run.run_not_submitted_to_slurm</source>
            <translation>der Lauf {run} wurde nicht von Batchwise an Slurm übergeben; ihn dort fortsetzen, wo er begonnen wurde, oder abzweigen</translation>
        </message>
        <message>
            <source>run.run_process_crashed</source>
            <translation>der Prozess ist abgestürzt {signal}</translation>
        </message>
        <message>
            <source>run.run_process_ended_by_signal</source>
            <translation>der Prozess wurde durch ein Signal beendet {signal}</translation>
        </message>
        <message>
            <source>run.run_process_exited_with_code</source>
            <translation>der Prozess endete mit Code {code}</translation>
        </message>
        <message>
            <source>run.run_process_killed</source>
            <translation>der Prozess wurde getötet {signal}</translation>
        </message>
        <message>
            <source>run.run_process_killed_out_of_memory</source>
            <translation>der Prozess wurde getötet {signal}, wahrscheinlich, weil der Speicher ausging</translation>
        </message>
        <message>
            <source>run.run_recorded_in_journal</source>
            <translation>der Lauf wird in einem Journal aufgezeichnet; `batchwise runs sync`, auf dem Rechner, der die Datenbank des Arbeitsbereichs geöffnet hat, holt ihn herein</translation>
        </message>
        <message>
            <source>run.run_rename_needs_fork</source>
            <translation>{change} würde den Lauf umbenennen; für einen neuen Lauf dieses Namens abzweigen</translation>
        </message>
        <message>
            <source>run.run_stage_out_of_range</source>
            <translation>der Checkpoint gehört zu Phase {stage}, der Lauf hat aber {count}</translation>
        </message>
        <message>
            <source>run.run_stage_starts</source>
            <translation>Phase {number} von {count} beginnt</translation>
        </message>
        <message>
            <source>run.run_stage_starts_with</source>
            <translation>Phase {number} von {count} beginnt: {changes}</translation>
        </message>
        <message>
            <source>run.run_starts_from_checkpoint_weights</source>
            <translation>beginnt mit den Gewichten von Checkpoint {checkpoint}; Uhren und Momente beginnen von vorn</translation>
        </message>
        <message>
            <source>run.run_store_is_gone</source>
            <translation>der Speicher des Laufs ist weg: {reason}</translation>
        </message>
        <message>
            <source>run.run_store_rejects_rows</source>
            <translation>der Speicher des Laufs nimmt keine Zeilen mehr an: {reason}</translation>
        </message>
        <message>
            <source>run.run_store_was_gone</source>
            <translation>der Speicher des Laufs war weg: {reason}</translation>
        </message>
        <message>
            <source>run.sbatch_named_no_job</source>
            <translation>sbatch nannte keinen Auftrag</translation>
        </message>
        <message>
            <source>run.sbatch_option_malformed</source>
            <translation>--sbatch nimmt eine Option von sbatch, wie --sbatch=--exclusive, nicht '{option}'</translation>
        </message>
        <message>
            <source>run.slurm_command_not_awaited</source>
            <translation>auf {command} wurde nicht gewartet</translation>
        </message>
        <message>
            <source>run.slurm_command_output</source>
            <translation>Slurm: {output}</translation>
        </message>
        <message>
            <source>run.slurm_command_printed_nothing</source>
            <translation>es sagte nichts</translation>
        </message>
        <message>
            <source>run.slurm_command_timed_out</source>
            <translation>{command} antwortet seit einer halben Minute nicht: die Steuerung des Clusters ist vielleicht weg</translation>
        </message>
        <message>
            <source>run.slurm_exit</source>
            <translation>{state}</translation>
        </message>
        <message>
            <source>run.slurm_exit_because</source>
            <translation>{state} ({reason})</translation>
        </message>
        <message>
            <source>run.slurm_exit_code</source>
            <translation>{end}, Exit-Code {code}</translation>
        </message>
        <message>
            <source>run.slurm_exit_signal</source>
            <translation>{end}, Signal {signal}</translation>
        </message>
        <message>
            <source>run.slurm_exit_unknown</source>
            <translation>der Cluster weiß nicht mehr, wie</translation>
        </message>
        <message>
            <source>run.slurm_job_dequeued_before_start</source>
            <translation>aus der Warteschlange genommen, bevor der Slurm-Auftrag begann</translation>
        </message>
        <message>
            <source>run.slurm_job_ended_before_run</source>
            <translation>{job} endete, bevor der Lauf begann: {end}</translation>
        </message>
        <message>
            <source>run.slurm_job_ended_during_run</source>
            <translation>{job} endete vor dem Lauf: {end}</translation>
        </message>
        <message>
            <source>run.slurm_job_is_queued</source>
            <translation>Slurm-Auftrag {job} von Lauf {run} ist eingereicht und wartet im Cluster, bis er an der Reihe ist</translation>
        </message>
        <message>
            <source>run.slurm_job_lines_omitted</source>
            <translation>Auftrag: {count} {count?Zeile seiner Ausgabe ist|Zeilen seiner Ausgabe sind} hier ausgelassen; siehe runs/{run}.log im Arbeitsbereich</translation>
        </message>
        <message>
            <source>run.slurm_job_name</source>
            <translation>sein Slurm-Auftrag {job}</translation>
        </message>
        <message>
            <source>run.slurm_job_never_started</source>
            <translation>{job} hat nie begonnen: {end}</translation>
        </message>
        <message>
            <source>run.slurm_job_not_stopped</source>
            <translation>der Auftrag wurde nicht angehalten: {reason}</translation>
        </message>
        <message>
            <source>run.slurm_job_output_line</source>
            <translation>Auftrag: {line}</translation>
        </message>
        <message>
            <source>run.slurm_job_stop_is_retried</source>
            <translation>der Auftrag war nicht zu erreichen, um ihn anzuhalten; das wird wiederholt, bis es gelingt: {reason}</translation>
        </message>
        <message>
            <source>run.slurm_job_stopped_before_run</source>
            <translation>der Slurm-Auftrag wurde angehalten, bevor der Lauf begann</translation>
        </message>
        <message>
            <source>run.slurm_job_vanished</source>
            <translation>{job} ist wortlos aus der Warteschlange verschwunden: vor dem Beginn abgebrochen oder abgelehnt, oder sofort gestorben</translation>
        </message>
        <message>
            <source>run.slurm_left_no_output</source>
            <translation>{end}; er hinterließ keine Ausgabe</translation>
        </message>
        <message>
            <source>run.slurm_not_installed</source>
            <translation>dieser Rechner hat kein Slurm: {command} ist nicht im PATH; von einem Anmelderechner des Clusters aus starten</translation>
        </message>
        <message>
            <source>run.slurm_option_exceeds_partition</source>
            <translation>{option} ist {value}, aber Partition {partition} hat {limit}</translation>
        </message>
        <message>
            <source>run.slurm_option_out_of_range</source>
            <translation>{option} ist {value}; möglich sind {minimum} bis 1000000</translation>
        </message>
        <message>
            <source>run.slurm_output_ends_with</source>
            <translation>{end}; seine Ausgabe endet mit {output}; siehe runs/{run}.log im Arbeitsbereich</translation>
        </message>
        <message>
            <source>run.slurm_queued</source>
            <translation>in der Warteschlange: {state}</translation>
        </message>
        <message>
            <source>run.slurm_resume_needs_newest_checkpoint</source>
            <translation>in einem Slurm-Auftrag geht ein Lauf von seinem neuesten Checkpoint weiter; ihn abzweigen oder einen anderen nennen geht auf diesem Rechner</translation>
        </message>
        <message>
            <source>run.slurm_rows_not_synced</source>
            <translation>Neues ist noch nicht in der Datenbank: {reason}</translation>
        </message>
        <message>
            <source>run.slurm_run_can_only_stop</source>
            <translation>ein Lauf in einem Slurm-Auftrag lässt sich von hier aus anhalten, aber nicht pausieren oder speichern</translation>
        </message>
        <message>
            <source>run.started_run_has_checkpoint</source>
            <translation>Lauf {run} hat begonnen und hat einen Checkpoint; ihn fortsetzen</translation>
        </message>
        <message>
            <source>run.starting_model_vocabulary_differs</source>
            <translation>der Tokenizer hat {vocabulary:integer} Tokens, config.json nennt {size:integer}; beide müssen vom selben Modell stammen</translation>
        </message>
        <message>
            <source>run.step_exceeds_device_memory_limit</source>
            <translation>ein Schritt braucht voraussichtlich etwa {needed:bytes} je Gerät, von devices.memory_limit sind {limit:bytes} nutzbar</translation>
        </message>
        <message>
            <source>run.step_exceeds_free_memory</source>
            <translation>ein Schritt braucht voraussichtlich etwa {needed:bytes} Speicher, frei sind {free:bytes}</translation>
        </message>
        <message>
            <source>run.stop_ends_without_it</source>
            <translation>{stop} beendet den Lauf ohne ihn</translation>
        </message>
        <message>
            <source>run.stop_ends_without_unstored</source>
            <translation>{stop} beendet den Lauf ohne das, was noch nicht gespeichert ist</translation>
        </message>
        <message>
            <source>run.stored_interval_value_context</source>
            <translation>gespeicherter Wert {field}</translation>
        </message>
        <message>
            <source>run.stretch_needs_batch_boundary</source>
            <translation>Checkpoint {checkpoint} entstand innerhalb eines globalen Batches, den ein neu gerechneter Plan in andere Teile schneiden würde; von einem ausgehen, der zwischen zweien entstand, oder den Plan behalten</translation>
        </message>
        <message>
            <source>run.stretch_resumes_earlier_checkpoint</source>
            <translation>mit neu gerechnetem Plan geht der Lauf von Checkpoint {checkpoint} aus, dem neuesten zwischen zwei globalen Batches, nicht von {newest}</translation>
        </message>
        <message>
            <source>run.submitted_program_in_folder</source>
            <translation>das Programm in</translation>
        </message>
        <message>
            <source>run.submitted_program_not_found</source>
            <translation>das Programm {path} fehlt; es bauen, oder in BATCHWISE_PROGRAM nennen</translation>
        </message>
        <message>
            <source>run.submitted_run_has_no_journal</source>
            <translation>Lauf {run} hat kein Journal: nur ein Lauf, der schon einmal übergeben wurde, kann noch einmal übergeben werden</translation>
        </message>
        <message>
            <source>run.submitted_trainer_libraries_in_folder</source>
            <translation>womit der Trainer gebaut wurde, in</translation>
        </message>
        <message>
            <source>run.submitted_trainer_not_found</source>
            <translation>der Trainer {path} fehlt; ihn bauen: ./packaging/run doctor</translation>
        </message>
        <message>
            <source>run.submitted_workspace</source>
            <translation>der Arbeitsbereich</translation>
        </message>
        <message>
            <source>run.tensors_taken_one_fresh</source>
            <translation>{taken} von {total} Tensoren werden übernommen; {tensor} beginnt frisch</translation>
        </message>
        <message>
            <source>run.tensors_taken_several_fresh</source>
            <translation>{taken} von {total} Tensoren werden übernommen; {tensor} und {others} weitere beginnen frisch</translation>
        </message>
        <message>
            <source>run.text_invalid_in_batch_script</source>
            <translation>'{text}' darf in einem Auftragsskript nicht stehen</translation>
        </message>
        <message>
            <source>run.tf32_ignored_on_processor</source>
            <translation>precision: tf32 ist für GPUs; der Prozessor rechnet in fp32</translation>
        </message>
        <message>
            <source>run.train_will_refuse</source>
            <translation>`batchwise train` lehnt das ab: {reason}</translation>
        </message>
        <message>
            <source>run.trainer_cannot_be_loaded</source>
            <translation>der Trainer {path} kann nicht geladen werden: {reason}; ihn bauen, oder in BATCHWISE_TRAINER einen anderen nennen</translation>
        </message>
        <message>
            <source>run.trainer_failed</source>
            <translation>der Trainer ist gescheitert: {reason}</translation>
        </message>
        <message>
            <source>run.trainer_interface_mismatch</source>
            <translation>er hat Schnittstelle {found}, dieses Programm braucht {expected}</translation>
        </message>
        <message>
            <source>run.trainer_libraries_not_found</source>
            <translation>die Bibliotheken in {folder}, mit denen der Trainer gebaut wurde, fehlen; BATCHWISE_DEPS setzen und neu bauen</translation>
        </message>
        <message>
            <source>run.trainer_process_wrote_malformed_event</source>
            <translation>der trainierende Prozess schrieb etwas, das kein Ereignis ist; es wurde ausgelassen</translation>
        </message>
        <message>
            <source>run.training_samples_below_global_batch</source>
            <translation>der Trainingstext ergibt {count:integer} Beispiele, weniger als einen globalen Batch von {batchSize:integer}; batch.global_train_batch_size auf höchstens {count} setzen, data.max_seq_len senken, oder mehr Text in data.train nennen</translation>
        </message>
        <message>
            <source>run.training_text_has_no_samples</source>
            <translation>der Trainingstext ergab kein Beispiel; mehr Text in data.train nennen</translation>
        </message>
        <message>
            <source>run.trial_text_lacks_mask</source>
            <translation>im Text steht kein [MASK]; [MASK] schreiben, wo ein Token gefunden werden soll</translation>
        </message>
        <message>
            <source>run.trial_text_too_long</source>
            <translation>der Text hat {count} Tokens; dieses Modell nimmt höchstens {limit}</translation>
        </message>
        <message>
            <source>run.unspecified_values_chosen</source>
            <translation>gewählt, wo nichts gesagt war: {values}</translation>
        </message>
        <message>
            <source>run.use_cpu_or_auto</source>
            <translation>cpu oder auto angeben</translation>
        </message>
        <message>
            <source>run.use_cuda_for_all</source>
            <translation>cuda angeben, für alle GPUs</translation>
        </message>
        <message>
            <source>run.weights_folder_lacks_readable_file</source>
            <translation>{folder} hat kein lesbares {name}</translation>
        </message>
        <message>
            <source>run.weights_not_saved_elsewhere</source>
            <translation>{reason}; die letzten Gewichte ließen sich nicht anderswo aufheben</translation>
        </message>
        <message>
            <source>run.weights_saved_elsewhere</source>
            <translation>{reason}; die letzten Gewichte liegen in {place}</translation>
        </message>
        <message>
            <source>run.workspace_folder_not_writable</source>
            <translation>in den Arbeitsbereich {path} kann nicht geschrieben werden</translation>
        </message>
        <message>
            <source>run.workspace_queue_context</source>
            <translation>die Warteschlange dieses Arbeitsbereichs</translation>
        </message>
        <message>
            <source>run.workspace_queue_too_new</source>
            <translation>die Warteschlange dieses Arbeitsbereichs wurde von einer neueren Version geschrieben; ein neueres Batchwise nehmen</translation>
        </message>
        <message>
            <source>run.workspace_queue_unreadable</source>
            <translation>die Warteschlange dieses Arbeitsbereichs ist nicht lesbar: {reason}</translation>
        </message>
        <message>
            <source>schedule.alpha_above_cooldown_start</source>
            <translation>{value:exact} liegt über {limit:value}, dem Faktor, bei dem das Abkühlen beginnt, die Lernrate würde also steigen; ein kleineres alpha_f oder ein längeres t_cosine nehmen</translation>
        </message>
        <message>
            <source>schedule.alpha_not_below_one</source>
            <translation>{value:exact} ist nicht unter 1; cosine_inverse_sqrt fällt</translation>
        </message>
        <message>
            <source>schedule.chain_part_clock_unavailable</source>
            <translation>benutzt {clock}: in einer in {unit} gezählten Kette beginnen nur diese Uhr und frac bei 0</translation>
        </message>
        <message>
            <source>schedule.chain_part_length_missing</source>
            <translation>fehlt oder ist bei einem zweiten Teil 'rest'; genau ein Teil kann der Rest sein</translation>
        </message>
        <message>
            <source>schedule.chain_part_resolves_to_zero</source>
            <translation>{time} ist aufgelöst 0; mehr nehmen</translation>
        </message>
        <message>
            <source>schedule.chain_part_unit_differs</source>
            <translation>{time} hat eine andere Einheit als die Teile davor ({unit}); eine Einheit für alle Teile nehmen</translation>
        </message>
        <message>
            <source>schedule.chain_rest_is_empty</source>
            <translation>es bleibt nichts: die anderen Teile nehmen {taken} von {total}</translation>
        </message>
        <message>
            <source>schedule.chain_rest_needs_run_length</source>
            <translation>chain muss wissen, wie lang sein Teil 'rest' ist, und max_duration ist {duration}; max_duration in ba, sp, tok oder ep angeben oder einen anderen Plan nehmen</translation>
        </message>
        <message>
            <source>schedule.chain_rest_unit_mismatch</source>
            <translation>der Rest von {total} lässt sich nicht aus Teilen in {found} bilden; sie in {expected} angeben</translation>
        </message>
        <message>
            <source>schedule.chain_time_unit_invalid</source>
            <translation>{time}: in einer in {unit} gezählten Kette gehen nur diese Einheit oder dur; {field} zum Beispiel als 0.5dur angeben</translation>
        </message>
        <message>
            <source>schedule.cooldown_begins_after_warmup</source>
            <translation>also beginnt es, wo das Aufwärmen endet, und ist steiler</translation>
        </message>
        <message>
            <source>schedule.cooldown_takes_whole_tmax</source>
            <translation>also nimmt es t_max ganz ein</translation>
        </message>
        <message>
            <source>schedule.decay_factor_negative</source>
            <translation>{value:exact} ist negativ; einen Faktor ab 0 nehmen</translation>
        </message>
        <message>
            <source>schedule.decay_longer_than_room</source>
            <translation>{decay} ist länger, als t_max ({max}) übrig lässt, {consequence}</translation>
        </message>
        <message>
            <source>schedule.decay_longer_than_room_after_warmup</source>
            <translation>{decay} ist länger, als t_max ({max}) nach t_warmup ({warmup}) übrig lässt, {consequence}</translation>
        </message>
        <message>
            <source>schedule.expression_has_several_results</source>
            <translation>'{expression}' hat mehrere Ergebnisse; eines lassen, ohne Kommas</translation>
        </message>
        <message>
            <source>schedule.expression_invalid</source>
            <translation>'{expression}' ist kein gültiger Ausdruck: {reason}</translation>
        </message>
        <message>
            <source>schedule.expression_name_unknown</source>
            <translation>'{expression}': '{name}' an Stelle {position} ist nicht bekannt; nehmen: {known}</translation>
        </message>
        <message>
            <source>schedule.expression_result_not_finite</source>
            <translation>'{expression}' ist {value:value} bei {variables}; es muss über den ganzen Lauf eine endliche Zahl sein</translation>
        </message>
        <message>
            <source>schedule.expression_would_assign</source>
            <translation>'{expression}': = an Stelle {position} würde zuweisen; == vergleicht</translation>
        </message>
        <message>
            <source>schedule.field_unused_by_schedule</source>
            <translation>wird von {schedule} nicht benutzt</translation>
        </message>
        <message>
            <source>schedule.frac_needs_tmax</source>
            <translation>fehlt; frac in einem in sec gemessenen Lauf braucht es in ba, sp oder tok</translation>
        </message>
        <message>
            <source>schedule.max_shorter_than_run_falls</source>
            <translation>{max} ist kürzer als der Lauf ({run}); die Lernrate fällt dahinter weiter, bis 0</translation>
        </message>
        <message>
            <source>schedule.max_shorter_than_run_holds</source>
            <translation>{max} ist kürzer als der Lauf ({run}); der letzte Wert gilt von da an</translation>
        </message>
        <message>
            <source>schedule.milestones_out_of_order</source>
            <translation>{time} steht nach {previous}; jeder zählt ab seiner eigenen Zeit, gleich in welcher Reihenfolge</translation>
        </message>
        <message>
            <source>schedule.nested_parts_unit_differs</source>
            <translation>sind in einer anderen Einheit gezählt als der Teil selbst; eine Einheit nehmen</translation>
        </message>
        <message>
            <source>schedule.period_factor_negative</source>
            <translation>{value:exact} ist negativ; 1 nehmen für gleich lange Abschnitte</translation>
        </message>
        <message>
            <source>schedule.period_factor_shrinks_periods</source>
            <translation>{value:exact} lässt die Abschnitte nach {time} zu nichts schrumpfen; 1 oder mehr nehmen</translation>
        </message>
        <message>
            <source>schedule.polynomial_power_negative</source>
            <translation>{value:exact} ist negativ; 0 oder mehr nehmen</translation>
        </message>
        <message>
            <source>schedule.rate_drops_after_warmup</source>
            <translation>also fällt die Lernrate am Ende des Aufwärmens sofort</translation>
        </message>
        <message>
            <source>schedule.rate_falls_after_warmup</source>
            <translation>die Lernrate fällt sofort, wenn das Aufwärmen endet</translation>
        </message>
        <message>
            <source>schedule.rate_starts_inside_decay</source>
            <translation>also beginnt die Lernrate mitten im Abfall, unter ihrem Höchstwert</translation>
        </message>
        <message>
            <source>schedule.rate_stays_after_warmup</source>
            <translation>die Lernrate bleibt, wo das Aufwärmen endet</translation>
        </message>
        <message>
            <source>schedule.schedule_chain_is_empty</source>
            <translation>ist leer; eine Kette braucht mindestens einen Teil</translation>
        </message>
        <message>
            <source>schedule.schedule_time_resolves_to_nothing</source>
            <translation>ist aufgelöst {time}, davon bleibt also nichts; eine längere Zeit nehmen</translation>
        </message>
        <message>
            <source>schedule.schedule_unknown</source>
            <translation>'{name}' ist unbekannt</translation>
        </message>
        <message>
            <source>schedule.schedule_unknown_did_you_mean</source>
            <translation>'{name}' ist unbekannt; gemeint war vielleicht {nearest}?</translation>
        </message>
        <message>
            <source>schedule.schedule_value_not_finite</source>
            <translation>ist keine endliche Zahl</translation>
        </message>
        <message>
            <source>schedule.scheduler_factor_missing</source>
            <translation>fehlt; {schedule} braucht es, zum Beispiel 0.9</translation>
        </message>
        <message>
            <source>schedule.scheduler_time_missing</source>
            <translation>fehlt; {schedule} braucht es, zum Beispiel 0.1dur</translation>
        </message>
        <message>
            <source>schedule.stored_schedule_value_missing</source>
            <translation>fehlt unter den gespeicherten Werten</translation>
        </message>
        <message>
            <source>schedule.t_max_missing_for_seconds</source>
            <translation>fehlt; ein in sec gemessener Lauf braucht es in ba, sp oder tok</translation>
        </message>
        <message>
            <source>schedule.time_unit_differs_from_total</source>
            <translation>{time} und t_max {total} haben verschiedene Einheiten; beide in derselben angeben, oder t_max in {unit}</translation>
        </message>
        <message>
            <source>schedule.warmup_longer_than_run</source>
            <translation>{warmup} ist länger als der Lauf ({total}), die Lernrate erreicht also nie ihren Höchstwert</translation>
        </message>
        <message>
            <source>schedule.warmup_resolves_to_zero</source>
            <translation>{time} ist aufgelöst 0: es gibt kein Aufwärmen</translation>
        </message>
        <message>
            <source>schedule.warmup_takes_whole_tmax</source>
            <translation>{warmup} nimmt t_max ({total}) ganz ein, für den Abfall bleibt nichts: {effect}</translation>
        </message>
        <message>
            <source>store.archive_import_note</source>
            <translation>{note}Aus einem Archiv eingelesen, in dem dieser Lauf die Kennung `{id}` hat.</translation>
        </message>
        <message>
            <source>store.archive_import_note_appended</source>
            <translation>{note}

Aus einem Archiv eingelesen, in dem dieser Lauf die Kennung `{id}` hat.</translation>
        </message>
        <message>
            <source>store.average_count_too_small</source>
            <translation>ein Mittel braucht 2 oder mehr Checkpoints, verlangt {count?ist|sind} {count:integer}</translation>
        </message>
        <message>
            <source>store.averaged_entry_differs</source>
            <translation>die Checkpoints haben nicht dieselben Gewichte: '{name}' fehlt in einem oder hat eine andere Form</translation>
        </message>
        <message>
            <source>store.backup_target_exists</source>
            <translation>'{target}' gibt es schon; eine Datei nennen, die es nicht gibt</translation>
        </message>
        <message>
            <source>store.chart_bucket_count_too_small</source>
            <translation>ein Diagramm mit {count} Abschnitten wurde verlangt; mindestens 1 ist nötig</translation>
        </message>
        <message>
            <source>store.checked_checkpoint_file</source>
            <translation>Checkpoint {id} ('{path}')</translation>
        </message>
        <message>
            <source>store.checkpoint_chunk_damaged</source>
            <translation>Stück {number} von Eintrag '{entry}' {reason}</translation>
        </message>
        <message>
            <source>store.checkpoint_chunk_fails_hash</source>
            <translation>hat eine falsche Prüfsumme</translation>
        </message>
        <message>
            <source>store.checkpoint_chunk_length_wrong</source>
            <translation>hat eine falsche Länge</translation>
        </message>
        <message>
            <source>store.checkpoint_damaged</source>
            <translation>Checkpoint '{path}' ist beschädigt: {reason}</translation>
        </message>
        <message>
            <source>store.checkpoint_entry_chunks_wrong</source>
            <translation>die Stücke von Eintrag '{name}' sind nicht seine eigenen</translation>
        </message>
        <message>
            <source>store.checkpoint_entry_description_invalid</source>
            <translation>die Beschreibung von Eintrag '{name}' ist nicht möglich</translation>
        </message>
        <message>
            <source>store.checkpoint_entry_exists</source>
            <translation>der Checkpoint hat schon einen Eintrag '{name}'</translation>
        </message>
        <message>
            <source>store.checkpoint_entry_hash_truncated</source>
            <translation>die Prüfsumme von Eintrag '{name}' ist abgeschnitten</translation>
        </message>
        <message>
            <source>store.checkpoint_entry_not_found</source>
            <translation>Checkpoint '{path}' hat keinen Eintrag '{name}'</translation>
        </message>
        <message>
            <source>store.checkpoint_entry_size_mismatch</source>
            <translation>Eintrag '{name}' des Checkpoints nennt {expected} Bytes, gegeben wurden {found}</translation>
        </message>
        <message>
            <source>store.checkpoint_entry_target_mismatch</source>
            <translation>Eintrag '{name}' hat {found} Bytes, das Ziel {expected}</translation>
        </message>
        <message>
            <source>store.checkpoint_fact_unexpected</source>
            <translation>'{name}' kommt doppelt vor, oder es sind zu viele Einträge</translation>
        </message>
        <message>
            <source>store.checkpoint_file_size_mismatch</source>
            <translation>{subject} hat {found} Bytes, geschrieben wurden {expected}</translation>
        </message>
        <message>
            <source>store.checkpoint_format_too_new</source>
            <translation>Checkpoint '{path}' hat Format {found}, dieses Programm kennt bis {newest}; ein neueres Batchwise nehmen</translation>
        </message>
        <message>
            <source>store.checkpoint_holds_unexpected_table</source>
            <translation>eine Tabelle darin gehört nicht hinein</translation>
        </message>
        <message>
            <source>store.checkpoint_manifest_mismatch</source>
            <translation>das Inhaltsverzeichnis passt nicht zum Inhalt</translation>
        </message>
        <message>
            <source>store.checkpoint_needs_disk_space</source>
            <translation>ein Checkpoint braucht {needed:bytes}, '{folder}' hat {free:bytes} frei; Platz schaffen oder weniger Checkpoints behalten</translation>
        </message>
        <message>
            <source>store.checkpoint_not_found</source>
            <translation>es gibt keinen Checkpoint '{id}'</translation>
        </message>
        <message>
            <source>store.checkpoint_not_found_with_hint</source>
            <translation>es gibt keinen Checkpoint '{id}'; `batchwise checkpoints list` nennt alle Checkpoints</translation>
        </message>
        <message>
            <source>store.checkpoint_path_outside_folder</source>
            <translation>'{path}' ist keine Datei im Ordner 'checkpoints' des Arbeitsbereichs</translation>
        </message>
        <message>
            <source>store.checkpoint_size_mismatch</source>
            <translation>Checkpoint '{path}' hat {found} Bytes, es sollten {expected} sein</translation>
        </message>
        <message>
            <source>store.checkpoint_tables_missing</source>
            <translation>Tabellen fehlen</translation>
        </message>
        <message>
            <source>store.checkpoint_text_exceeds_file</source>
            <translation>sie enthält mehr Text, als sie lang ist</translation>
        </message>
        <message>
            <source>store.database_access_failed</source>
            <translation>Lesen oder Schreiben nicht möglich: {location}</translation>
        </message>
        <message>
            <source>store.database_damaged</source>
            <translation>beschädigt: {location}; `batchwise store salvage` kopiert, was lesbar ist, in einen neuen Arbeitsbereich</translation>
        </message>
        <message>
            <source>store.database_disk_full</source>
            <translation>kein Platz mehr für {location}; Platz schaffen</translation>
        </message>
        <message>
            <source>store.database_file_out_of_memory</source>
            <translation>zu wenig Speicher, um mit '{path}' zu arbeiten</translation>
        </message>
        <message>
            <source>store.database_in_use</source>
            <translation>von einem anderen Programm benutzt: {location}</translation>
        </message>
        <message>
            <source>store.database_integrity_failed</source>
            <translation>beschädigt: '{path}': {reason}; `batchwise store salvage` kopiert, was lesbar ist, in einen neuen Arbeitsbereich</translation>
        </message>
        <message>
            <source>store.database_not_accessible</source>
            <translation>kein Zugriff: {location}</translation>
        </message>
        <message>
            <source>store.database_out_of_memory</source>
            <translation>nicht genug Speicher für {location}</translation>
        </message>
        <message>
            <source>store.database_work_exceeds_limit</source>
            <translation>'{path}' verlangt mehr Arbeit, als eine Datei dieser Größe brauchen kann; aufgegeben</translation>
        </message>
        <message>
            <source>store.delete_to_start_new_workspace</source>
            <translation>oder löschen, um neu zu beginnen</translation>
        </message>
        <message>
            <source>store.earlier_version_writes_run</source>
            <translation>Prozess {process} auf '{host}' schreibt mit einer früheren Version von Batchwise einen Lauf in '{folder}'; diesen Lauf anhalten, dann den Arbeitsbereich wieder öffnen</translation>
        </message>
        <message>
            <source>store.file_cannot_be_locked</source>
            <translation>'{path}' lässt sich nicht sperren: {reason}; zwei Programme würden einander dort überschreiben. Den Arbeitsbereich auf ein Dateisystem mit funktionierenden Sperren legen (NFS: ohne 'nolock', mit laufendem Sperrdienst)</translation>
        </message>
        <message>
            <source>store.file_is_no_checkpoint</source>
            <translation>'{path}' ist kein Checkpoint von Batchwise</translation>
        </message>
        <message>
            <source>store.file_system_duplicates_locks</source>
            <translation>das Dateisystem gibt dieselbe Sperre zweimal</translation>
        </message>
        <message>
            <source>store.file_system_has_no_locks</source>
            <translation>das Dateisystem hat keine Sperren ({reason})</translation>
        </message>
        <message>
            <source>store.journal_already_exists</source>
            <translation>das Journal '{path}' gibt es schon</translation>
        </message>
        <message>
            <source>store.journal_being_written</source>
            <translation>jemand schreibt das Journal '{path}'; zuerst jenen Lauf anhalten</translation>
        </message>
        <message>
            <source>store.journal_checkpoint_id_invalid</source>
            <translation>ein Checkpoint hat eine unmögliche Kennung</translation>
        </message>
        <message>
            <source>store.journal_config_too_large</source>
            <translation>die Konfiguration des Laufs '{run}' ist zu groß für ein Journal</translation>
        </message>
        <message>
            <source>store.journal_damaged_from_byte</source>
            <translation>'{path}' ist ab Byte {byte} beschädigt; was folgt, wird nicht übernommen</translation>
        </message>
        <message>
            <source>store.journal_end_moved_aside</source>
            <translation>das Ende des Journals '{path}' war nicht zu lesen und liegt jetzt in '{target}'; der Lauf geht von dem aus weiter, was davor steht</translation>
        </message>
        <message>
            <source>store.journal_event_too_large</source>
            <translation>ein Ereignis war zu groß für das Journal und fehlt darin</translation>
        </message>
        <message>
            <source>store.journal_file_creation_not_tried</source>
            <translation>nicht versucht</translation>
        </message>
        <message>
            <source>store.journal_file_record_context</source>
            <translation>Satz {number} von '{path}'</translation>
        </message>
        <message>
            <source>store.journal_has_gap</source>
            <translation>das Journal '{path}' ist {problem}</translation>
        </message>
        <message>
            <source>store.journal_has_no_segment</source>
            <translation>das Journal '{path}' enthält keinen Abschnitt</translation>
        </message>
        <message>
            <source>store.journal_lacks_run_start</source>
            <translation>das Journal '{path}' beginnt nicht mit seinem Lauf</translation>
        </message>
        <message>
            <source>store.journal_name_mismatch</source>
            <translation>das Journal '{path}' gehört zu einem anderen Lauf, als sein Name sagt</translation>
        </message>
        <message>
            <source>store.journal_omits_segment</source>
            <translation>das Journal '{path}' lässt einen Abschnitt aus</translation>
        </message>
        <message>
            <source>store.journal_record_not_object</source>
            <translation>Satz {number} von '{path}' ist kein Objekt</translation>
        </message>
        <message>
            <source>store.journal_record_segment_start_lost</source>
            <translation>der Anfang seines Abschnitts ist verloren</translation>
        </message>
        <message>
            <source>store.journal_records_lost</source>
            <translation>bei Byte {byte} beschädigt: {bytes:integer} {bytes?Byte|Bytes} mit {records:integer} {records?Satz|Sätzen} sind verloren</translation>
        </message>
        <message>
            <source>store.journal_rescue_needs_segment</source>
            <translation>ein Lauf ohne Abschnitt hat nichts, was zu retten ist</translation>
        </message>
        <message>
            <source>store.journal_run_has_no_segment</source>
            <translation>es gibt keinen Abschnitt</translation>
        </message>
        <message>
            <source>store.journal_run_id_invalid</source>
            <translation>'{id}' ist keine Kennung eines Laufs</translation>
        </message>
        <message>
            <source>store.journal_run_segment_omitted</source>
            <translation>ein Abschnitt ist ausgelassen</translation>
        </message>
        <message>
            <source>store.journal_segment_conflict</source>
            <translation>das Journal '{path}' geht mit Abschnitt {segment} weiter, den die Datenbank von anderswo hat: Der Lauf wurde an zwei Orten fortgesetzt</translation>
        </message>
        <message>
            <source>store.journal_segment_start_lost</source>
            <translation>das Journal '{path}' hat den Anfang von Abschnitt {segment} verloren</translation>
        </message>
        <message>
            <source>store.journal_starts_with_other_run</source>
            <translation>das Journal '{path}' beginnt nicht mit dem Lauf, den sein Name nennt</translation>
        </message>
        <message>
            <source>store.journal_version_too_new</source>
            <translation>das Journal '{path}' stammt von einer neueren Version</translation>
        </message>
        <message>
            <source>store.lock_file_held_by_other</source>
            <translation>ein anderes Programm hält '{path}' seit {seconds} s; mit `fuser` nachsehen, welches, und es beenden oder weiterlaufen lassen</translation>
        </message>
        <message>
            <source>store.metric_series_block</source>
            <translation>ein Block</translation>
        </message>
        <message>
            <source>store.metric_series_fails_check</source>
            <translation>{subject} der Reihe '{series}' ab Position {position} besteht die Prüfung nicht</translation>
        </message>
        <message>
            <source>store.metric_series_summary</source>
            <translation>eine Zusammenfassung</translation>
        </message>
        <message>
            <source>store.other_machine_of_that_name</source>
            <translation>ein anderer dieses Namens</translation>
        </message>
        <message>
            <source>store.output_file_exists</source>
            <translation>'{path}' gibt es, und kein Export wie dieser hat es geschrieben; eine andere Datei nennen, oder sie mit --force ersetzen</translation>
        </message>
        <message>
            <source>store.output_file_inside_workspace</source>
            <translation>'{path}' liegt im Arbeitsbereich '{workspace}', dessen Dateien nur Batchwise schreibt; eine Datei außerhalb nennen</translation>
        </message>
        <message>
            <source>store.output_folder_inside_workspace</source>
            <translation>'{folder}' liegt im Arbeitsbereich '{workspace}', dessen Dateien nur Batchwise schreibt; einen Ordner außerhalb nennen</translation>
        </message>
        <message>
            <source>store.output_is_block_device</source>
            <translation>'{path}' ist ein Gerät mit einem Dateisystem; eine Datei nennen</translation>
        </message>
        <message>
            <source>store.output_is_folder</source>
            <translation>'{path}' ist ein Ordner; eine Datei nennen</translation>
        </message>
        <message>
            <source>store.output_is_link</source>
            <translation>'{path}' ist ein Verweis auf '{target}'; diese Datei nennen, oder mit --force durch den Verweis schreiben</translation>
        </message>
        <message>
            <source>store.process_ended_without_run_end</source>
            <translation>Prozess {process} auf '{host}' endete, ohne den Lauf zu beenden</translation>
        </message>
        <message>
            <source>store.program_closed_without_run_end</source>
            <translation>sein Programm wurde geschlossen, ohne den Lauf zu beenden</translation>
        </message>
        <message>
            <source>store.record_number</source>
            <translation>Satz {number}</translation>
        </message>
        <message>
            <source>store.resume_after_closing_programs</source>
            <translation>{reason}; alle Programme beenden, die den Arbeitsbereich benutzen, dann fortsetzen</translation>
        </message>
        <message>
            <source>store.rows_fail_checksum</source>
            <translation>{rows:integer} {rows?Zeile|Zeilen} der Tabelle '{table}' {rows?besteht ihre|bestehen ihre} Prüfsumme nicht</translation>
        </message>
        <message>
            <source>store.run_context</source>
            <translation>Lauf '{run}'</translation>
        </message>
        <message>
            <source>store.run_has_other_writer</source>
            <translation>der Lauf wird anderswo geschrieben; ihn zuerst dort anhalten</translation>
        </message>
        <message>
            <source>store.run_id_prefix_ambiguous</source>
            <translation>mit '{prefix}' beginnt die Kennung mehrerer Läufe ({ids}); mehr davon tippen</translation>
        </message>
        <message>
            <source>store.run_journal_not_found</source>
            <translation>es gibt in '{folder}' kein Journal eines Laufs '{run}'</translation>
        </message>
        <message>
            <source>store.run_metrics_fail_check</source>
            <translation>die Messwerte von Lauf Nummer {run} an Stelle {position} bestehen ihre Prüfung nicht</translation>
        </message>
        <message>
            <source>store.run_name_empty</source>
            <translation>der Name eines Laufs ist leer; ihm mindestens ein Zeichen geben, das kein Leerzeichen ist</translation>
        </message>
        <message>
            <source>store.run_name_invalid</source>
            <translation>der Name eines Laufs {reason}</translation>
        </message>
        <message>
            <source>store.run_name_latest_reserved</source>
            <translation>ein Lauf kann nicht 'latest' heißen, das meint den neuesten Lauf; ein Wort anhängen</translation>
        </message>
        <message>
            <source>store.run_name_taken</source>
            <translation>es gibt schon einen Lauf namens '{name}'; frei ist zum Beispiel '{suggestion}'</translation>
        </message>
        <message>
            <source>store.run_not_found_with_hint</source>
            <translation>es gibt keinen Lauf '{run}'; {remedy}</translation>
        </message>
        <message>
            <source>store.run_not_found_workspace_empty</source>
            <translation>es gibt keinen Lauf '{run}': der Arbeitsbereich hat noch keinen</translation>
        </message>
        <message>
            <source>store.run_tag_invalid</source>
            <translation>Schlagwort {index} des Laufs {reason}</translation>
        </message>
        <message>
            <source>store.run_written_by_process</source>
            <translation>der Lauf wird von Prozess {process} auf '{host}' geschrieben; diesen Prozess zuerst anhalten</translation>
        </message>
        <message>
            <source>store.runs_list_hint</source>
            <translation>`batchwise runs list` nennt alle Läufe</translation>
        </message>
        <message>
            <source>store.salvage_checkpoint_file_elsewhere</source>
            <translation>Checkpoint {checkpoint}, dessen Datei anderswo liegen soll</translation>
        </message>
        <message>
            <source>store.salvage_checkpoint_id_invalid</source>
            <translation>ein Checkpoint mit unmöglicher Kennung</translation>
        </message>
        <message>
            <source>store.salvage_command_failed</source>
            <translation>'{command}' ist fehlgeschlagen</translation>
        </message>
        <message>
            <source>store.salvage_component_missing</source>
            <translation>zum Bergen fehlt die Datei '{path}'; Batchwise vollständig neu installieren oder bauen</translation>
        </message>
        <message>
            <source>store.salvage_copy_context</source>
            <translation>Kopieren von '{path}'</translation>
        </message>
        <message>
            <source>store.salvage_copying_checkpoints_phase</source>
            <translation>Kopieren der Checkpoints</translation>
        </message>
        <message>
            <source>store.salvage_copying_rows_phase</source>
            <translation>Kopieren der Zeilen</translation>
        </message>
        <message>
            <source>store.salvage_event_invalid</source>
            <translation>ein Ereignis, das keines ist</translation>
        </message>
        <message>
            <source>store.salvage_files_beside_database</source>
            <translation>oder mit `batchwise store salvage NEW --from '{folder}'` aus den Checkpoints und Journalen daneben einen neuen Arbeitsbereich anlegen</translation>
        </message>
        <message>
            <source>store.salvage_found_no_row</source>
            <translation>es wurde keine Zeile gefunden</translation>
        </message>
        <message>
            <source>store.salvage_lists_checkpoint_files</source>
            <translation>{count:integer} {count?Checkpointdatei|Checkpointdateien} von Lauf {run}, die kein Eintrag nannte, {count?ist|sind} kopiert und eingetragen: ein abgebrochener Prozess hat sie hinterlassen</translation>
        </message>
        <message>
            <source>store.salvage_loses_checkpoint</source>
            <translation>Checkpoint {checkpoint}: {reason}</translation>
        </message>
        <message>
            <source>store.salvage_loses_damaged_block</source>
            <translation>ein Block von Messwerten mit falscher Prüfsumme (Reihe Nummer {series})</translation>
        </message>
        <message>
            <source>store.salvage_loses_database_content</source>
            <translation>alles, was nur die Datenbank enthielt: {reason}</translation>
        </message>
        <message>
            <source>store.salvage_loses_orphan_block</source>
            <translation>ein Block von Messwerten, der zu keiner Reihe gehört</translation>
        </message>
        <message>
            <source>store.salvage_loses_orphan_row</source>
            <translation>eine Zeile der Tabelle {table}, die zu keinem Lauf gehört</translation>
        </message>
        <message>
            <source>store.salvage_loses_oversized_rows</source>
            <translation>{count:integer} {count?Zeile|Zeilen} größer als 4 MiB</translation>
        </message>
        <message>
            <source>store.salvage_loses_row</source>
            <translation>eine Zeile der Tabelle {table}: {reason}</translation>
        </message>
        <message>
            <source>store.salvage_loses_run_data</source>
            <translation>Zahlen, Ereignisse und Texte von Lauf {run}; seine Konfiguration und seine Checkpoints sind wieder da, aus den Dateien genommen</translation>
        </message>
        <message>
            <source>store.salvage_loses_run_texts</source>
            <translation>Texte und Zustand von Lauf Nummer {number}; seine Zahlen stehen unter '{name}'</translation>
        </message>
        <message>
            <source>store.salvage_loses_run_texts_name_from_index</source>
            <translation>Texte und Zustand von Lauf Nummer {number}; seine Werte stehen unter '{name}'; Kennung und Name stammen aus einem Index, der keine Prüfsumme trägt</translation>
        </message>
        <message>
            <source>store.salvage_loses_schema_pages</source>
            <translation>die Seiten, die die Tabellen beschreiben; jede Zeile wurde an ihrem Inhalt erkannt</translation>
        </message>
        <message>
            <source>store.salvage_loses_unfitting_wal</source>
            <translation>was in '{name}-wal' stand, das nicht zur Datenbank passt</translation>
        </message>
        <message>
            <source>store.salvage_loses_unlisted_checkpoint</source>
            <translation>Checkpointdatei {name}, die kein Eintrag nennt: {reason}</translation>
        </message>
        <message>
            <source>store.salvage_loses_unreadable_rows</source>
            <translation>Zeilen der Tabelle '{table}', die nicht lesbar sind oder eine falsche Prüfsumme haben: {count} von {total}</translation>
        </message>
        <message>
            <source>store.salvage_makes_run_of_files</source>
            <translation>{count:integer} {count?Checkpointdatei gehört|Checkpointdateien gehören} zu Lauf {run}, der keinen Eintrag hat: der Lauf ist daraus erstellt, ohne Messwerte; war er gelöscht, noch einmal löschen</translation>
        </message>
        <message>
            <source>store.salvage_metric_row_fails_checksum</source>
            <translation>eine Zeile von Messwerten mit falscher Prüfsumme</translation>
        </message>
        <message>
            <source>store.salvage_more_losses</source>
            <translation>und {count} weitere</translation>
        </message>
        <message>
            <source>store.salvage_needs_disk_space</source>
            <translation>das Bergen braucht {needed:bytes}, in '{folder}' sind {free:bytes} frei; Platz schaffen oder einen Ordner auf einer anderen Platte nennen</translation>
        </message>
        <message>
            <source>store.salvage_needs_sqlite_program</source>
            <translation>zum Bergen fehlt das Programm `sqlite3`; das Paket sqlite3 installieren (Debian: `apt install sqlite3`)</translation>
        </message>
        <message>
            <source>store.salvage_omits_checkpoint_file</source>
            <translation>Checkpointdatei {name}, die kein Eintrag nennt, ist ausgelassen: {reason}</translation>
        </message>
        <message>
            <source>store.salvage_reader_timed_out</source>
            <translation>ein Programm, das die Datei liest, endete nicht rechtzeitig</translation>
        </message>
        <message>
            <source>store.salvage_rebuilds_checkpoint_entries</source>
            <translation>die Einträge von {count:integer} {count?Checkpoint|Checkpoints} von Lauf {run}, neu aus den Dateien erstellt</translation>
        </message>
        <message>
            <source>store.salvage_rebuilds_segment_starts</source>
            <translation>der Anfang von {count} Abschnitten; stattdessen gelten deren erste Zeilen</translation>
        </message>
        <message>
            <source>store.salvage_rows_exceed_file_size</source>
            <translation>die Datei hat mehr Zeilen, als eine ihrer Größe fassen kann</translation>
        </message>
        <message>
            <source>store.salvage_run_incomplete</source>
            <translation>ein Lauf ohne Kennung, Namen oder Zustand</translation>
        </message>
        <message>
            <source>store.salvage_run_name_taken</source>
            <translation>Lauf '{run}', dessen Name schon vergeben ist</translation>
        </message>
        <message>
            <source>store.salvage_schema_too_new</source>
            <translation>'{path}' hat Schemaversion {found}, dieses Programm kennt 1 bis {newest}; ein neueres Batchwise nehmen</translation>
        </message>
        <message>
            <source>store.salvage_search_ended_empty</source>
            <translation>die Suche nach Zeilen endete vorzeitig und fand keine</translation>
        </message>
        <message>
            <source>store.salvage_search_incomplete</source>
            <translation>was die Suche nach Zeilen nicht erreicht hat; sie endete vorzeitig</translation>
        </message>
        <message>
            <source>store.salvage_searching_rows_phase</source>
            <translation>Suche nach Zeilen</translation>
        </message>
        <message>
            <source>store.salvage_series_invalid</source>
            <translation>eine Reihe mit unmöglichem Namen oder unmöglicher Nummer</translation>
        </message>
        <message>
            <source>store.salvage_series_name_unverified</source>
            <translation>der Eintrag der Reihe '{series}'; ihr Name stammt aus einem Index, der keine Prüfsumme hat</translation>
        </message>
        <message>
            <source>store.salvage_source_from_other_program</source>
            <translation>'{path}' ist die Datenbank eines anderen Programms (application id {id})</translation>
        </message>
        <message>
            <source>store.salvage_source_not_found</source>
            <translation>es gibt keine Datei '{path}'</translation>
        </message>
        <message>
            <source>store.salvage_takes_journal_again</source>
            <translation>Messwerte und Ereignisse von Lauf {run} stehen in seinem Journal: `batchwise runs sync` liest sie wieder ein</translation>
        </message>
        <message>
            <source>store.salvage_target_exists</source>
            <translation>'{target}' gibt es schon; für den neuen Arbeitsbereich einen Ordner nennen, den es nicht gibt</translation>
        </message>
        <message>
            <source>store.salvage_target_missing</source>
            <translation>der Ordner für den neuen Arbeitsbereich fehlt; einen nennen, den es noch nicht gibt</translation>
        </message>
        <message>
            <source>store.salvaged_checkpoint_files</source>
            <translation>Checkpoint-Dateien</translation>
        </message>
        <message>
            <source>store.salvaged_checkpoint_name_invalid</source>
            <translation>ihr Name ist nicht der eines Checkpoints eines Laufs</translation>
        </message>
        <message>
            <source>store.salvaged_checkpoint_time_missing</source>
            <translation>es ist nicht verzeichnet, wann er entstand</translation>
        </message>
        <message>
            <source>store.salvaged_copy_has_no_table</source>
            <translation>'{path}' enthält keine Tabelle</translation>
        </message>
        <message>
            <source>store.salvaged_rows_lack_checksums</source>
            <translation>die Zeilen stammen von einer früheren Version, und nur Messwerte haben Prüfsummen; fehlende Zeilen sind nicht zu erkennen</translation>
        </message>
        <message>
            <source>store.salvaged_run_was_running</source>
            <translation>er lief, als sein Arbeitsbereich verlassen wurde</translation>
        </message>
        <message>
            <source>store.salvaged_workspace_context</source>
            <translation>der neue Arbeitsbereich</translation>
        </message>
        <message>
            <source>store.series_unknown</source>
            <translation>Lauf '{run}' hat keine Reihe '{name}'</translation>
        </message>
        <message>
            <source>store.series_unknown_did_you_mean</source>
            <translation>Lauf '{run}' hat keine Reihe '{name}'; gemeint war vielleicht '{nearest}'?</translation>
        </message>
        <message>
            <source>store.series_unknown_with_known</source>
            <translation>{problem} (bekannt: {known})</translation>
        </message>
        <message>
            <source>store.sqlite_cannot_load_extension</source>
            <translation>das Programm `sqlite3` kann '{path}' nicht laden; es muss eines sein, das Erweiterungen annimmt, wie das aus Debians Paket sqlite3</translation>
        </message>
        <message>
            <source>store.store_file_changed_by_other</source>
            <translation>ein anderes Programm hat '{path}' während der Benutzung gelöscht oder ersetzt</translation>
        </message>
        <message>
            <source>store.store_file_deleted</source>
            <translation>{subject} wurde während der Benutzung gelöscht</translation>
        </message>
        <message>
            <source>store.store_file_moved</source>
            <translation>{subject} wurde während der Benutzung nach '{path}' verschoben</translation>
        </message>
        <message>
            <source>store.store_file_replaced</source>
            <translation>{subject} wurde während der Benutzung durch eine andere Datei ersetzt</translation>
        </message>
        <message>
            <source>store.stored_checkpoint_id_invalid</source>
            <translation>'{id}' ist keine Kennung eines Checkpoints</translation>
        </message>
        <message>
            <source>store.stored_checkpoint_path_invalid</source>
            <translation>'{path}' ist keine Datei im Ordner 'checkpoints' oder 'runs' des Arbeitsbereichs</translation>
        </message>
        <message>
            <source>store.stored_clock_invalid</source>
            <translation>Uhr '{name}' {reason}</translation>
        </message>
        <message>
            <source>store.stored_clock_not_integer</source>
            <translation>ist keine ganze Zahl</translation>
        </message>
        <message>
            <source>store.stored_clock_out_of_range</source>
            <translation>liegt außerhalb des Bereichs</translation>
        </message>
        <message>
            <source>store.stored_clocks_unreadable</source>
            <translation>gespeicherte Uhren sind nicht lesbar: '{text}'</translation>
        </message>
        <message>
            <source>store.stored_event_context</source>
            <translation>Ereignis {number}</translation>
        </message>
        <message>
            <source>store.stored_metrics_fail_checksum</source>
            <translation>gespeicherte Messwerte haben eine falsche Prüfsumme</translation>
        </message>
        <message>
            <source>store.stored_metrics_layout_unknown</source>
            <translation>gespeicherte Messwerte haben einen unbekannten Aufbau</translation>
        </message>
        <message>
            <source>store.stored_metrics_truncated</source>
            <translation>gespeicherte Messwerte sind abgeschnitten</translation>
        </message>
        <message>
            <source>store.stored_run_id_invalid</source>
            <translation>Lauf '{run}' hat die unmögliche Kennung '{id}'; `batchwise store salvage` gibt ihm eine andere</translation>
        </message>
        <message>
            <source>store.stored_run_status_unknown</source>
            <translation>Lauf '{run}' hat den unbekannten Zustand '{status}'</translation>
        </message>
        <message>
            <source>store.stored_series_context</source>
            <translation>Reihe '{series}'</translation>
        </message>
        <message>
            <source>store.synced_journal_context</source>
            <translation>das Journal '{path}'</translation>
        </message>
        <message>
            <source>store.table_row_fails_checksum</source>
            <translation>eine Zeile der Tabelle '{table}' hat eine falsche Prüfsumme</translation>
        </message>
        <message>
            <source>store.table_row_lacks_owner</source>
            <translation>Tabelle {table}: eine Zeile verweist auf einen Eintrag, den es nicht gibt</translation>
        </message>
        <message>
            <source>store.table_rows_differ_from_stored</source>
            <translation>Tabelle '{table}' enthält nicht die Zeilen, die in ihr gespeichert wurden</translation>
        </message>
        <message>
            <source>store.too_few_checkpoints_to_average</source>
            <translation>Lauf '{run}' hat {found:integer} {found?Checkpoint|Checkpoints} zum Mitteln, verlangt sind {count:integer}; mit checkpoint.keep_last mehr davon behalten oder weniger mitteln, mindestens 2</translation>
        </message>
        <message>
            <source>store.unknown_file_system</source>
            <translation>einem unbekannten Dateisystem</translation>
        </message>
        <message>
            <source>store.unknown_file_system_of_type</source>
            <translation>einem unbekannten Dateisystem, Typ {type}</translation>
        </message>
        <message>
            <source>store.unlisted_checkpoint_file</source>
            <translation>kein Eintrag nennt '{path}'; {remedy}</translation>
        </message>
        <message>
            <source>store.unlisted_checkpoint_goes_with_resume</source>
            <translation>sie verschwindet, wenn Lauf {run} fortgesetzt oder gelöscht wird</translation>
        </message>
        <message>
            <source>store.unlisted_checkpoint_goes_with_run</source>
            <translation>`batchwise store salvage NEW` trägt sie ein; sie verschwindet, wenn Lauf {run} gelöscht wird</translation>
        </message>
        <message>
            <source>store.unlisted_checkpoint_of_journal</source>
            <translation>`batchwise runs sync` trägt sie ein, wenn das Journal von Lauf {run} sie nennt; sonst verschwindet sie mit dem Lauf</translation>
        </message>
        <message>
            <source>store.unlisted_checkpoint_of_no_run</source>
            <translation>sie gehört zu keinem Lauf: `batchwise store salvage NEW` erstellt einen daraus, wenn es geht; sonst die Datei löschen</translation>
        </message>
        <message>
            <source>store.unnamed_table_row_fails_checksum</source>
            <translation>eine Zeile der Tabelle '' hat eine falsche Prüfsumme</translation>
        </message>
        <message>
            <source>store.work_canceled</source>
            <translation>abgebrochen</translation>
        </message>
        <message>
            <source>store.workspace_database_empty</source>
            <translation>'{path}' ist leer (0 Bytes): kein Arbeitsbereich; aus einer Sicherung wiederherstellen, {remedy}</translation>
        </message>
        <message>
            <source>store.workspace_database_from_other_program</source>
            <translation>'{path}' ist die Datenbank eines anderen Programms (application id {id}); unberührt; einen anderen Ordner wählen</translation>
        </message>
        <message>
            <source>store.workspace_database_missing</source>
            <translation>'{path}' fehlt, aber '{name}' dazu ist da; die Datei aus einer Sicherung wiederherstellen, oder die andere wegräumen, um neu zu beginnen</translation>
        </message>
        <message>
            <source>store.workspace_database_newly_created</source>
            <translation>In '{folder}' war keine Datenbank, eine neue wurde angelegt. Sie kennt die {count:integer} {count?Checkpoint-Datei|Checkpoint-Dateien} darin nicht: `batchwise store salvage NEW --from '{folder}'` macht einen Arbeitsbereich, der sie kennt.</translation>
        </message>
        <message>
            <source>store.workspace_database_not_sqlite</source>
            <translation>'{path}' ist keine SQLite-Datenbank; aus einer Sicherung wiederherstellen, {remedy}</translation>
        </message>
        <message>
            <source>store.workspace_has_rollback_journal</source>
            <translation>'{path}' ist ein Rollback-Journal, das ein Arbeitsbereich nie hat: ein anderes Programm wurde dort beim Schreiben unterbrochen, oder jemand hat es dorthin gelegt, um anderswo Dateien zu löschen; es wurde nicht angewandt. Es wegräumen, um den Arbeitsbereich ohne es zu öffnen, oder die Datenbank mit dem Programm öffnen, das es hinterlassen hat</translation>
        </message>
        <message>
            <source>store.workspace_is_file</source>
            <translation>der Arbeitsbereich '{folder}' ist eine Datei, gebraucht wird ein Ordner</translation>
        </message>
        <message>
            <source>store.workspace_on_network_storage</source>
            <translation>Der Arbeitsbereich liegt auf einem Netzdateisystem ({fileSystem}): nur dieser Rechner kann ihn öffnen.</translation>
        </message>
        <message>
            <source>store.workspace_open_on_other_host</source>
            <translation>der Arbeitsbereich '{folder}' liegt auf {fileSystem} und wird vom Rechner '{owner}' benutzt, dies ist {host}: eine Datenbank auf einem gemeinsamen Dateisystem kann nur auf einem Rechner geöffnet sein; hier einen anderen Arbeitsbereich wählen, oder '{path}' löschen, wenn jener Rechner ihn nicht mehr benutzt</translation>
        </message>
        <message>
            <source>store.workspace_opened_read_only</source>
            <translation>der Arbeitsbereich '{folder}' ist nur zum Lesen geöffnet</translation>
        </message>
        <message>
            <source>store.workspace_path_not_writable</source>
            <translation>'{path}' ist für dieses Konto nicht schreibbar; einen anderen Ordner für den Arbeitsbereich wählen, oder die Rechte ändern</translation>
        </message>
        <message>
            <source>store.workspace_read_only_with_wal</source>
            <translation>'{folder}' ist nur lesbar und die neuesten Zeilen sind noch in '{name}'; den Ordner an einen schreibbaren Ort kopieren und dort öffnen</translation>
        </message>
        <message>
            <source>store.workspace_run_is_running</source>
            <translation>Lauf '{run}' läuft; ihn zuerst anhalten</translation>
        </message>
        <message>
            <source>store.workspace_schema_too_new</source>
            <translation>'{path}' hat Schemaversion {found}, dieses Programm kennt bis {newest}; ein neueres Batchwise nehmen</translation>
        </message>
        <message>
            <source>store.workspace_schema_too_old</source>
            <translation>'{path}' hat Schemaversion {found}, gebraucht wird {expected}; einmal zum Schreiben öffnen</translation>
        </message>
        <message>
            <source>time.duration_not_above_zero</source>
            <translation>ist nicht größer als 0; mindestens 1ba angeben</translation>
        </message>
        <message>
            <source>time.epoch_share_needs_data_length</source>
            <translation>eines in Epochen gemessenen Laufs braucht Daten bekannter Länge; ba, sp oder tok nehmen</translation>
        </message>
        <message>
            <source>time.ratio_leaves_nothing_to_train</source>
            <translation>x {ratio:exact} lässt nichts zu trainieren; ein größeres Verhältnis oder eine feinere Einheit angeben</translation>
        </message>
        <message>
            <source>time.run_length_shares_itself</source>
            <translation>ist ein Anteil des Laufs, dessen Länge dieses Feld bestimmt; ep, ba, sp, tok oder sec angeben</translation>
        </message>
        <message>
            <source>time.scale_schedule_ratio_not_positive</source>
            <translation>{ratio:exact} ist nicht über 0; 1 nehmen, um nicht zu skalieren</translation>
        </message>
        <message>
            <source>time.share_of_run_in_seconds</source>
            <translation>ist ein Anteil eines Laufs, der in Sekunden gemessen wird; ba, sp, tok oder ep angeben</translation>
        </message>
        <message>
            <source>time.time_below_one_global_batch</source>
            <translation>ist weniger als ein globaler Batch; mehr angeben</translation>
        </message>
        <message>
            <source>time.time_below_one_sample</source>
            <translation>ist weniger als ein Beispiel; mehr nehmen</translation>
        </message>
        <message>
            <source>time.time_comparison_operation</source>
            <translation>ein Vergleich</translation>
        </message>
        <message>
            <source>time.time_difference_operation</source>
            <translation>eine Differenz</translation>
        </message>
        <message>
            <source>time.time_difference_result</source>
            <translation>die Differenz</translation>
        </message>
        <message>
            <source>time.time_exceeds64_bits</source>
            <translation>ist länger, als 64 Bit zählen können</translation>
        </message>
        <message>
            <source>time.time_exceeds_countable_range</source>
            <translation>ist länger, als gezählt werden kann (2^62); weniger angeben</translation>
        </message>
        <message>
            <source>time.time_factor_not_finite</source>
            <translation>ein Faktor von {time} muss endlich sein</translation>
        </message>
        <message>
            <source>time.time_forms</source>
            <translation>eine Zahl mit Einheit: 5ep, 0.5ep, 1000ba, 4096sp, 3e4tok, 0.1dur, 45sec, 90m, 1h30m</translation>
        </message>
        <message>
            <source>time.time_fraction_not_allowed</source>
            <translation>ein Bruch, den nur ep und dur haben dürfen,</translation>
        </message>
        <message>
            <source>time.time_in_seconds_not_allowed</source>
            <translation>ist in Sekunden; das geht nur bei max_duration und Abständen, ba, sp, tok, ep oder dur angeben</translation>
        </message>
        <message>
            <source>time.time_misread</source>
            <translation>'{text}' ist keine Zeit: {problem} an Stelle {position}; erwartet wird {forms}</translation>
        </message>
        <message>
            <source>time.time_needs_known_data_length</source>
            <translation>braucht Daten bekannter Länge; ba, sp oder tok angeben</translation>
        </message>
        <message>
            <source>time.time_negative_use_positive</source>
            <translation>ist negativ; eine Zeit über 0 angeben</translation>
        </message>
        <message>
            <source>time.time_negative_use_zero</source>
            <translation>ist negativ; 0 oder mehr angeben</translation>
        </message>
        <message>
            <source>time.time_not_comparable_with_clock</source>
            <translation>{time} ist mit keiner Uhr vergleichbar; in ep, ba, sp, tok oder sec angeben</translation>
        </message>
        <message>
            <source>time.time_number_too_large</source>
            <translation>die Zahl ist zu groß</translation>
        </message>
        <message>
            <source>time.time_number_too_small</source>
            <translation>die Zahl ist zu klein, um sie von 0 zu unterscheiden</translation>
        </message>
        <message>
            <source>time.time_problem</source>
            <translation>{time} {problem}</translation>
        </message>
        <message>
            <source>time.time_product_needs_factor</source>
            <translation>ein Produkt braucht einen einfachen Faktor oder eine dur, gefunden {left} und {right}</translation>
        </message>
        <message>
            <source>time.time_product_of_value</source>
            <translation>das Produkt {value}</translation>
        </message>
        <message>
            <source>time.time_product_result</source>
            <translation>das Produkt</translation>
        </message>
        <message>
            <source>time.time_result_overflows</source>
            <translation>{subject} verlässt den Bereich von 64 Bit</translation>
        </message>
        <message>
            <source>time.time_sum_operation</source>
            <translation>eine Summe</translation>
        </message>
        <message>
            <source>time.time_sum_result</source>
            <translation>die Summe</translation>
        </message>
        <message>
            <source>time.time_text_empty</source>
            <translation>nichts gefunden</translation>
        </message>
        <message>
            <source>time.time_text_has_no_number</source>
            <translation>keine Zahl gefunden</translation>
        </message>
        <message>
            <source>time.time_unit_missing</source>
            <translation>die Einheit fehlt</translation>
        </message>
        <message>
            <source>time.time_unit_unknown</source>
            <translation>die Einheit ist nicht bekannt</translation>
        </message>
        <message>
            <source>time.time_units_must_match</source>
            <translation>{subject} braucht gleiche Einheiten, gefunden {left} und {right}</translation>
        </message>
        <message>
            <source>train.batch_growth_count_negative</source>
            <translation>der Zustand des Batch-Wachstums enthält eine negative Anzahl</translation>
        </message>
        <message>
            <source>train.checkpoint_not_saved</source>
            <translation>Checkpoint {checkpoint} wurde nicht gesichert: {reason}</translation>
        </message>
        <message>
            <source>train.checkpoint_not_saved_kept</source>
            <translation>Checkpoint {checkpoint} wurde nicht gesichert: {reason}; er liegt in {place}</translation>
        </message>
        <message>
            <source>train.cuda_device_number_too_large</source>
            <translation>devices ist '{devices}', aber dieser Rechner hat {count:integer} {count?CUDA-Gerät|CUDA-Geräte}, gezählt ab 0</translation>
        </message>
        <message>
            <source>train.cuda_device_unavailable</source>
            <translation>devices ist '{devices}', aber dieser Rechner hat kein brauchbares CUDA-Gerät (siehe: batchwise doctor); auto oder cpu nehmen</translation>
        </message>
        <message>
            <source>train.devices_process_count_mismatch</source>
            <translation>devices ist '{devices}', aber für den Lauf wurden {count} Prozesse gestartet, einer je Gerät; ebenso viele starten, oder cpu nehmen</translation>
        </message>
        <message>
            <source>train.devices_shared_by_processes</source>
            <translation>devices ist '{devices}', das gibt {count} {count?GPU|GPUs} dieses Rechners, aber auf ihm wurden mehr Prozesse gestartet; je GPU einen Prozess starten</translation>
        </message>
        <message>
            <source>train.devices_value_invalid</source>
            <translation>devices ist '{devices}'; möglich sind auto, cpu, cpu:N, cuda oder cuda:N</translation>
        </message>
        <message>
            <source>train.early_stop_best_not_beaten</source>
            <translation>guard.early_stop: {metric} ist {value:value} bei Schritt {step} und war seit {patience:integer} {patience?Auswertung|Auswertungen} nicht besser als {best:value}</translation>
        </message>
        <message>
            <source>train.early_stop_never_improved</source>
            <translation>guard.early_stop: {metric} ist {value:value} bei Schritt {step} und wurde seit {patience:integer} {patience?Auswertung|Auswertungen} nicht besser</translation>
        </message>
        <message>
            <source>train.evaluation_sample_by_sample</source>
            <translation>Auswertung, Beispiel für Beispiel</translation>
        </message>
        <message>
            <source>train.final_weights_not_stored</source>
            <translation>die Gewichte seines Endes sind nicht gespeichert: {reason}</translation>
        </message>
        <message>
            <source>train.gpu_failed</source>
            <translation>nach einem solchen Fehler kann ein Programm die GPU nicht mehr benutzen: läuft dieses weiter, vor dem nächsten Lauf schließen und neu starten</translation>
        </message>
        <message>
            <source>train.gpu_failed_before</source>
            <translation>die GPU ist bei einem früheren Lauf dieses Programms ausgefallen, und es kann sie nicht mehr benutzen: das Programm schließen und neu starten</translation>
        </message>
        <message>
            <source>train.gpu_failed_in_check</source>
            <translation>die GPU ist ausgefallen, während ihre Operationen geprüft wurden: das Programm neu starten; fällt sie wieder aus, schreibt batchwise doctor --gpu einen Bericht darüber</translation>
        </message>
        <message>
            <source>train.nvls_not_deterministic</source>
            <translation>NCCL_NVLS_ENABLE ist {value}: Summen über GPUs wiederholen sich vielleicht nicht Bit für Bit, obwohl devices.deterministic true ist; die Variable entfernen, oder devices.deterministic: false setzen</translation>
        </message>
        <message>
            <source>train.gradient_not_finite</source>
            <translation>der Gradient von Schritt {step} ist nicht endlich (Verlust {loss:value})</translation>
        </message>
        <message>
            <source>train.gradient_repeatedly_not_finite</source>
            <translation>{reason}, wie in den {count} Schritten davor</translation>
        </message>
        <message>
            <source>train.guard_checkpoint_not_saved</source>
            <translation>der Lauf beginnt nicht ohne den Checkpoint, auf den ein Wächter ihn zurücksetzen kann: {reason}</translation>
        </message>
        <message>
            <source>train.guard_fired_repeatedly</source>
            <translation>{guard} hat von Schritt {firstStep} bis Schritt {lastStep} {count}-mal ausgelöst</translation>
        </message>
        <message>
            <source>train.guard_fires_again</source>
            <translation>{reason}; seit Schritt {step} hat er {times}-mal ausgelöst und meldet sich bei doppelt so vielen wieder</translation>
        </message>
        <message>
            <source>train.guard_limit_exceeded</source>
            <translation>{guard}: {quantity} von Schritt {step} ist {value:value}, über der Grenze von {limit:value}</translation>
        </message>
        <message>
            <source>train.guarded_attention_logit</source>
            <translation>das größte Attention-Logit</translation>
        </message>
        <message>
            <source>train.guarded_gradient_norm</source>
            <translation>die Gradientennorm</translation>
        </message>
        <message>
            <source>train.guarded_update_ratio</source>
            <translation>das größte Verhältnis von Änderung zu Gewicht</translation>
        </message>
        <message>
            <source>train.loss_plateau_detected</source>
            <translation>guard.plateau: über die letzten {count} globalen Batches bis Schritt {step} ging der mittlere Verlust von {before:value} auf {after:value}, um nicht mehr als {minimum:value} hinunter</translation>
        </message>
        <message>
            <source>train.loss_spike_detected</source>
            <translation>guard.loss_spike: der Verlust von Schritt {step} ist {loss:value}, über der Grenze von {limit:value} ({deviations:value} Standardabweichungen über dem Mittel der Schritte davor)</translation>
        </message>
        <message>
            <source>train.microbatch_reduced_out_of_memory</source>
            <translation>Speicher voll: der Mikrobatch geht von {before} auf {after}, der globale Batch ändert sich nicht</translation>
        </message>
        <message>
            <source>train.old_checkpoints_not_removed</source>
            <translation>alte Checkpoints wurden nicht entfernt: {reason}</translation>
        </message>
        <message>
            <source>train.operation_replaced</source>
            <translation>{operation} in {precision} ist auf {device} falsch: der Kernel rechnet nicht, was LibTorch rechnet; deshalb rechnet LibTorch, langsamer. Bitte mit der Ausgabe von batchwise doctor --gpu melden</translation>
        </message>
        <message>
            <source>train.pack_split_out_of_memory</source>
            <translation>Speicher voll: ein Paket wird in {count} Durchgängen gerechnet, der globale Batch ändert sich nicht</translation>
        </message>
        <message>
            <source>train.plan_ended_before_run</source>
            <translation>der Plan endete vor dem Lauf</translation>
        </message>
        <message>
            <source>train.plan_lacks_batch_part</source>
            <translation>der Plan hat keinen Teil {part} im globalen Batch {batch}</translation>
        </message>
        <message>
            <source>train.roll_back_limit_reached</source>
            <translation>{reason}; der Lauf wurde schon {count:integer}-mal zurückgesetzt, so oft guard.roll_back_limit erlaubt</translation>
        </message>
        <message>
            <source>train.run_state_count_too_small</source>
            <translation>der Zustand des Laufs enthält eine Anzahl unter der kleinstmöglichen</translation>
        </message>
        <message>
            <source>train.run_state_pass_count_invalid</source>
            <translation>der Zustand des Laufs zerteilt ein Paket in {count} Durchgänge</translation>
        </message>
        <message>
            <source>train.saved_checkpoint_not_finite</source>
            <translation>Checkpoint {checkpoint} enthält Zahlen, die nicht endlich sind: von ihm wird nicht fortgesetzt</translation>
        </message>
        <message>
            <source>train.saving_checkpoint_phase</source>
            <translation>Checkpoint speichern</translation>
        </message>
        <message>
            <source>train.sequence_exceeds_device_memory</source>
            <translation>eine einzelne Sequenz passt nicht in den Speicher des Geräts; ein kleineres Modell oder data.max_seq_len würde passen</translation>
        </message>
        <message>
            <source>train.step_memory_measurement</source>
            <translation>Speicherbedarf eines Schritts messen</translation>
        </message>
        <message>
            <source>train.step_repeated_out_of_memory</source>
            <translation>Speicher voll neben einem Checkpoint, der noch auf dem Weg in den Hauptspeicher war: der Schritt wird wiederholt</translation>
        </message>
        <message>
            <source>train.step_skipped</source>
            <translation>{reason}; der Schritt wurde übersprungen</translation>
        </message>
        <message>
            <source>train.step_skipped_scale_halved</source>
            <translation>{reason}; der Schritt wurde übersprungen und die Verlustskala halbiert</translation>
        </message>
        <message>
            <source>train.stop_now_with_checkpoint</source>
            <translation>der Lauf hält an, sobald das geschrieben ist; {stop} beendet ihn sofort, und eine Fortsetzung geht von Checkpoint {checkpoint} aus</translation>
        </message>
        <message>
            <source>train.stop_now_without_checkpoint</source>
            <translation>der Lauf hält an, sobald das geschrieben ist; {stop} beendet ihn sofort, ohne Checkpoint zum Fortsetzen</translation>
        </message>
        <message>
            <source>train.stop_without_saving_remedy</source>
            <translation>Anhalten ohne Sichern (noch einmal Ctrl-C, „Ohne Sichern anhalten“ im Fenster oder 'batchwise runs send {run} abort')</translation>
        </message>
        <message>
            <source>train.stopped_by_user</source>
            <translation>angehalten</translation>
        </message>
        <message>
            <source>train.stopped_by_user_after_batch</source>
            <translation>nach dem globalen Batch angehalten</translation>
        </message>
        <message>
            <source>train.stopped_by_user_without_checkpoint</source>
            <translation>angehalten, ohne Checkpoint</translation>
        </message>
        <message>
            <source>train.system_out_of_memory</source>
            <translation>das System hat keinen Speicher mehr</translation>
        </message>
        <message>
            <source>train.time_limit_is_near</source>
            <translation>die Zeitgrenze ist nahe</translation>
        </message>
        <message>
            <source>train.training_loop_did_not_run</source>
            <translation>die Trainingsschleife lief nicht</translation>
        </message>
        <message>
            <source>train.training_resumed</source>
            <translation>das Training läuft weiter</translation>
        </message>
        <message>
            <source>train.training_run_state</source>
            <translation>der Zustand des Laufs</translation>
        </message>
        <message>
            <source>train.waiting_for_checkpoint_write</source>
            <translation>wartet, bis ein Checkpoint geschrieben ist, was auf dieser Platte lange dauert</translation>
        </message>
        <message>
            <source>train.weights_precede_failed_step</source>
            <translation>{reason}; die Gewichte sind die vor dem Schritt</translation>
        </message>
    </context>
</TS>
