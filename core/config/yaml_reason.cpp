// SPDX-License-Identifier: GPL-3.0-or-later
#include <yaml-cpp/exceptions.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/config/messages.h"
#include "core/config/yaml_value.h"

namespace batchwise::config {
namespace {

const std::pair<const char*, MessageTemplate<0>> kReasons[] = {
    {YAML::ErrorMsg::YAML_DIRECTIVE_ARGS, messages::yamlReasonYamlDirectiveArgs},
    {YAML::ErrorMsg::YAML_MAJOR_VERSION, messages::yamlReasonYamlMajorVersion},
    {YAML::ErrorMsg::REPEATED_YAML_DIRECTIVE, messages::yamlReasonRepeatedYamlDirective},
    {YAML::ErrorMsg::TAG_DIRECTIVE_ARGS, messages::yamlReasonTagDirectiveArgs},
    {YAML::ErrorMsg::REPEATED_TAG_DIRECTIVE, messages::yamlReasonRepeatedTagDirective},
    {YAML::ErrorMsg::CHAR_IN_TAG_HANDLE, messages::yamlReasonCharInTagHandle},
    {YAML::ErrorMsg::TAG_WITH_NO_SUFFIX, messages::yamlReasonTagWithNoSuffix},
    {YAML::ErrorMsg::END_OF_VERBATIM_TAG, messages::yamlReasonEndOfVerbatimTag},
    {YAML::ErrorMsg::END_OF_MAP, messages::yamlReasonEndOfMap},
    {YAML::ErrorMsg::END_OF_MAP_FLOW, messages::yamlReasonEndOfMapFlow},
    {YAML::ErrorMsg::END_OF_SEQ, messages::yamlReasonEndOfSeq},
    {YAML::ErrorMsg::END_OF_SEQ_FLOW, messages::yamlReasonEndOfSeqFlow},
    {YAML::ErrorMsg::MULTIPLE_TAGS, messages::yamlReasonMultipleTags},
    {YAML::ErrorMsg::MULTIPLE_ANCHORS, messages::yamlReasonMultipleAnchors},
    {YAML::ErrorMsg::MULTIPLE_ALIASES, messages::yamlReasonMultipleAliases},
    {YAML::ErrorMsg::ALIAS_CONTENT, messages::yamlReasonAliasContent},
    {YAML::ErrorMsg::INVALID_HEX, messages::yamlReasonInvalidHex},
    {YAML::ErrorMsg::UNKNOWN_TOKEN, messages::yamlReasonUnknownToken},
    {YAML::ErrorMsg::DOC_IN_SCALAR, messages::yamlReasonDocInScalar},
    {YAML::ErrorMsg::EOF_IN_SCALAR, messages::yamlReasonEofInScalar},
    {YAML::ErrorMsg::CHAR_IN_SCALAR, messages::yamlReasonCharInScalar},
    {YAML::ErrorMsg::TAB_IN_INDENTATION, messages::yamlReasonTabInIndentation},
    {YAML::ErrorMsg::FLOW_END, messages::yamlReasonFlowEnd},
    {YAML::ErrorMsg::BLOCK_ENTRY, messages::yamlReasonBlockEntry},
    {YAML::ErrorMsg::MAP_KEY, messages::yamlReasonMapKey},
    {YAML::ErrorMsg::MAP_VALUE, messages::yamlReasonMapValue},
    {YAML::ErrorMsg::ALIAS_NOT_FOUND, messages::yamlReasonAliasNotFound},
    {YAML::ErrorMsg::ANCHOR_NOT_FOUND, messages::yamlReasonAnchorNotFound},
    {YAML::ErrorMsg::CHAR_IN_ALIAS, messages::yamlReasonCharInAlias},
    {YAML::ErrorMsg::CHAR_IN_ANCHOR, messages::yamlReasonCharInAnchor},
    {YAML::ErrorMsg::ZERO_INDENT_IN_BLOCK, messages::yamlReasonZeroIndentInBlock},
    {YAML::ErrorMsg::CHAR_IN_BLOCK, messages::yamlReasonCharInBlock},
    {YAML::ErrorMsg::AMBIGUOUS_ANCHOR, messages::yamlReasonAmbiguousAnchor},
    {YAML::ErrorMsg::UNKNOWN_ANCHOR, messages::yamlReasonUnknownAnchor},
    {YAML::ErrorMsg::SINGLE_QUOTED_CHAR, messages::yamlReasonSingleQuotedChar},
};

/// Prefixes of yaml-cpp's texts; the detail follows them.
const std::pair<const char*, MessageTemplate<1>> kReasonsWithDetail[] = {
    {YAML::ErrorMsg::YAML_VERSION, messages::yamlReasonYamlVersion},
    {YAML::ErrorMsg::INVALID_UNICODE, messages::yamlReasonInvalidUnicode},
    {YAML::ErrorMsg::INVALID_ESCAPE, messages::yamlReasonInvalidEscape},
    {"the referenced anchor is not defined: ", messages::yamlReasonUnknownAnchorNamed},
};

}  // namespace

Message yamlReason(std::string_view text) {
  const auto* plain =
      std::ranges::find(kReasons, text, [](const auto& reason) { return std::string_view(reason.first); });
  if (plain != std::end(kReasons)) return plain->second();
  const auto* detailed =
      std::ranges::find_if(kReasonsWithDetail, [&](const auto& reason) { return text.starts_with(reason.first); });
  if (detailed == std::end(kReasonsWithDetail)) return Message(text);
  return detailed->second(text.substr(std::string_view(detailed->first).size()));
}

}  // namespace batchwise::config
