import type { JsonObject } from '../../../kernel';
import type { AssistantDocument } from '../metadata/document.types';
import { textMember } from '../metadata/parse-metadata';
import { type Diagnostic, error, misspelt, warning } from './diagnostic.types';

export interface ProcessorRules {
  findPrompt(name: string): object | undefined;
  findRag(name: string): object | undefined;
  closestPrompt(name: string): string | null;
  closestRag(name: string): string | null;
}

const MAX_SHOWN = 64;
/** Values of `document_rag` that add no document in LAMB either. */
const NO_DOCUMENT: ReadonlySet<string> = new Set(['no_rag', 'none']);

/** Reports unknown processors of a classic assistant, and settings of LAMB that have no effect here. */
export function checkClassic(document: AssistantDocument, rules: ProcessorRules): Diagnostic[] {
  if (document.type !== 'classic') return [];
  const { ragProcessor, promptProcessor } = document.classic;
  const found: Diagnostic[] = [];
  if (rules.findRag(ragProcessor) === undefined) {
    const effect = 'the assistant answers without context';
    found.push(unknown('rag_processor', ragProcessor, effect, rules.closestRag(ragProcessor)));
  }
  if (rules.findPrompt(promptProcessor) === undefined) {
    const effect = '`simple_augment` runs instead';
    found.push(unknown('prompt_processor', promptProcessor, effect, rules.closestPrompt(promptProcessor)));
  }
  return [...found, ...unsupported(document.raw)];
}

function unknown(key: string, name: string, effect: string, closest: string | null): Diagnostic {
  const shown = name.slice(0, MAX_SHOWN);
  const hint = closest === null ? '' : `; did you mean "${closest}"?`;
  const message = `there is no processor "${shown}": ${effect}${hint}`;
  return error('processor.unknown', `metadata.${key}`, message, misspelt(shown, closest));
}

function unsupported(metadata: JsonObject): Diagnostic[] {
  const library = textMember(metadata, 'document_rag');
  if (library === null || NO_DOCUMENT.has(library)) return [];
  const message = `"${library.slice(0, MAX_SHOWN)}" is a setting of LAMB that has no effect here: its document does not reach the prompt`;
  return [warning('setting.unsupported', 'metadata.document_rag', message, { reason: 'setting.document_rag' })];
}
