import type { AssistantImport } from '../../../src/assistants';
import { isStorableText } from '../../../src/kernel';
import { cleanLabel } from '../convert/clean-label';
import { filePaths } from '../convert/metadata-references';
import { withoutPythonJson } from '../convert/python-json';
import type { ItemRef } from '../report/report-builder';
import type { LambAssistant } from '../source/lamb-source.types';
import type { ImportContext } from './import-context.types';
import type { Owners } from './owners';
import type { PlannedAssistant } from './plan.types';

const DEFAULT_TOP_K = 3;
const TOP_K = { lowest: 1, highest: 20 } as const;

type MetadataChecks = Pick<AssistantImport, 'problems' | 'isReadable' | 'templateOf'>;

function unstorable(row: LambAssistant, checks: MetadataChecks): string | null {
  if (row.unreadable !== null) return row.unreadable;
  const texts = [row.description, row.systemPrompt, row.promptTemplate, row.metadata, row.ragCollections];
  if (!texts.every(isStorableText)) return 'holds a NUL character or half of a surrogate pair';
  const [problem] = checks.problems(row.metadata);
  return problem === undefined ? null : `${problem.path} ${problem.message}`;
}

function topKOf({ ragTopK }: LambAssistant, item: ItemRef, { report }: ImportContext): number {
  if (ragTopK === null) return DEFAULT_TOP_K;
  const clamped = Math.min(TOP_K.highest, Math.max(TOP_K.lowest, Math.trunc(ragTopK)));
  if (clamped !== ragTopK) report.note(item, 'top_k.clamped', `RAG_Top_k ${ragTopK} became ${clamped}`);
  return clamped;
}

/** `seconds` since 1970; null when absent or out of range. */
function dateOf(seconds: number | null): Date | null {
  const date = seconds !== null && seconds > 0 ? new Date(seconds * 1000) : null;
  return date === null || Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? null : date;
}

function planOne(
  stored: LambAssistant,
  owners: Owners,
  checks: MetadataChecks,
  context: ImportContext,
): PlannedAssistant | null {
  const { report } = context;
  const { text, changes } = withoutPythonJson(stored.metadata);
  const row = { ...stored, metadata: text };
  const name = cleanLabel(row.name) || `Assistant ${row.id}`;
  const item: ItemRef = { kind: 'assistant', origin: row.id, name };
  if (row.deleted) {
    report.leaveOut(item, 'assistant.deleted', 'was deleted in LAMB');
    return null;
  }
  const refusal = unstorable(row, checks);
  if (refusal !== null) {
    const place = `belongs to ${row.ownerEmail.trim() || 'nobody'}${row.published ? ', is published' : ''}`;
    report.leaveOut(item, 'assistant.unstorable', `${refusal}; it ${place}`);
    return null;
  }
  const ownerId = owners.of(row.ownerEmail, item);
  if (ownerId === null) return null;
  if (!checks.isReadable(row.metadata)) {
    report.note(item, 'metadata.unreadable', 'its metadata is not a JSON object; it was kept and counts as empty');
  }
  if (changes.length > 0) {
    report.note(item, 'metadata.python', `its metadata holds ${changes.join(', and ')}`);
  }
  if (name !== row.name) {
    report.note(item, 'name.changed', 'its name was empty, too long, or held characters that cannot be stored');
  }
  const { id, description, systemPrompt, promptTemplate, metadata, ragCollections, published } = row;
  const ragTopK = topKOf(row, item, context);
  const texts = { name, description, systemPrompt, promptTemplate, metadata, ragCollections, ragTopK };
  return {
    id,
    origin: String(id),
    name,
    createdAt: dateOf(row.createdAt),
    updatedAt: dateOf(row.updatedAt),
    files: filePaths(metadata),
    formerOwnerId: owners.memberByAddress(row.ownerEmail),
    value: { ownerId, ...texts, promptTemplate: checks.templateOf(texts), published },
  };
}

export const planAssistants = (
  rows: readonly LambAssistant[],
  owners: Owners,
  checks: MetadataChecks,
  context: ImportContext,
): PlannedAssistant[] => rows.flatMap((row) => planOne(row, owners, checks, context) ?? []);
