import { isJsonObject, type JsonObject, type Problem } from '../../../kernel';
import { metadataProblems, storedDefinition } from '../metadata/definition';
import type { AssistantDocument, Definition, MetadataVersion } from '../metadata/document.types';
import { entryProblems } from './entry-problems';
import type { StepResult, StoredDefinition, ToolVocabulary } from '../metadata/metadata.types';
import { normaliseDocument } from './normalise';
import { numberProblems } from './number-problems';
import { parseMetadata } from '../metadata/parse-metadata';
import type { RewritePlan } from './rewrite-plan.types';
import { stepV1ToV2 } from './v1-to-v2.step';
import { stepV2ToV3 } from './v2-to-v3.step';
import { assistantType, runningVersion, versionProblem } from '../metadata/version';

/**
 * Migrates a definition step by step, without any proof of prompts or of validity. Never throws. Refuses a document
 * whose content would change or get lost.
 */
export function migrateDefinition(definition: Definition, to: MetadataVersion, tools: ToolVocabulary): RewritePlan {
  const unreadable = metadataProblems(definition.metadata);
  if (unreadable.length > 0) return refused(null, unreadable);
  const stored = storedDefinition(definition);
  const version = versionProblem(stored.metadata);
  if (version !== null) return refused(null, [version]);
  const from = runningVersion(stored.metadata);
  if (from >= to) return { status: 'current', from };
  const problems = [...numberProblems(definition.metadata), ...(from === 1 ? [] : entryProblems(stored.metadata))];
  if (problems.length > 0) return refused(from, problems);
  const result = steps(stored, to, tools);
  if (!result.ok) return refused(from, result.problems);
  const { metadata, template } = result.definition;
  return {
    status: 'ready',
    from,
    to,
    definition: {
      ...definition,
      type: assistantType(metadata),
      metadata: JSON.stringify(metadata),
      promptTemplate: template,
    },
    notes: result.notes,
  };
}

function steps(stored: StoredDefinition, to: MetadataVersion, tools: ToolVocabulary): StepResult {
  const { promptTemplate: template, ...rest } = stored;
  const second = stepV1ToV2({ template, ...rest }, tools);
  return !second.ok || to === 2 ? second : { ...second, definition: stepV2ToV3(second.definition, tools) };
}

const refused = (from: MetadataVersion | null, problems: readonly Problem[]): RewritePlan => ({
  status: 'refused',
  from,
  problems,
  differences: [],
});

export const definitionDocument = (definition: Definition, tools: ToolVocabulary): AssistantDocument =>
  normaliseDocument(storedDefinition(definition), tools);

/** The stored document; empty when it is unreadable. */
export function definitionMetadata(definition: Definition): JsonObject {
  const parsed = parseMetadata(definition.metadata);
  return parsed.ok && isJsonObject(parsed.metadata) ? parsed.metadata : {};
}
