import type { ArrivingAssistant } from '../../assistants';
import type { Problem } from '../../kernel';
import { filePaths } from '../reading/metadata-references';
import { cleanLabel, isStorableText } from '../reading/storable';
import type { LambAssistant } from '../source/lamb-source.types';
import type { Owners } from './owners';
import type { Arrival } from './reconcile';
import type { About, Tally } from './tally';

const LONGEST_NAME = 200;
const DEFAULT_TOP_K = 3;
const TOP_K = { lowest: 1, highest: 20 } as const;

/** What the assistants room says of metadata. */
export interface MetadataJudge {
  problems(metadata: string): readonly Problem[];
  readable(metadata: string): boolean;
}

/** An assistant as it arrives but for the names of files and assistants in its metadata. */
export interface PlannedAssistant extends Arrival<ArrivingAssistant> {
  readonly id: number;
  readonly times: { readonly created: number | null; readonly updated: number | null };
  /** Files that it reads, as the source names them. */
  readonly files: readonly string[];
}

const aboutOf = (row: LambAssistant): About => ({
  kind: 'assistant',
  origin: row.id,
  name: cleanLabel(row.name, LONGEST_NAME) || `Assistant ${row.id}`,
});

function unstorable(row: LambAssistant, judge: MetadataJudge): string | null {
  const texts = [row.description, row.systemPrompt, row.promptTemplate, row.metadata, row.ragCollections];
  if (!texts.every(isStorableText)) return 'holds a NUL character or half of a surrogate pair';
  const [problem] = judge.problems(row.metadata);
  return problem === undefined ? null : `${problem.path} ${problem.message}`;
}

function topKOf({ ragTopK }: LambAssistant, about: About, tally: Tally): number {
  if (ragTopK === null) return DEFAULT_TOP_K;
  const clamped = Math.min(TOP_K.highest, Math.max(TOP_K.lowest, Math.trunc(ragTopK)));
  if (clamped !== ragTopK) tally.note(about, 'top_k.clamped', `RAG_Top_k ${ragTopK} became ${clamped}`);
  return clamped;
}

function planOne(row: LambAssistant, owners: Owners, judge: MetadataJudge, tally: Tally): PlannedAssistant | null {
  const about = aboutOf(row);
  if (row.deleted) {
    tally.leave(about, 'assistant.deleted', 'was deleted there');
    return null;
  }
  const refusal = unstorable(row, judge);
  if (refusal !== null) {
    tally.leave(about, 'assistant.unstorable', refusal);
    return null;
  }
  const ownerId = owners.of(row.ownerEmail, about, tally);
  if (ownerId === null) return null;
  if (!judge.readable(row.metadata)) {
    tally.note(about, 'metadata.unreadable', 'its metadata is no JSON object; it was kept, and counts as empty');
  }
  const name = about.name ?? '';
  if (name !== row.name)
    tally.note(about, 'name.changed', 'its name was empty, too long, or could not be kept as it was');
  return {
    id: row.id,
    origin: String(row.id),
    name,
    times: { created: row.createdAt, updated: row.updatedAt },
    files: filePaths(row.metadata),
    value: {
      ownerId,
      name,
      description: row.description,
      systemPrompt: row.systemPrompt,
      promptTemplate: row.promptTemplate,
      metadata: row.metadata,
      ragCollections: row.ragCollections,
      ragTopK: topKOf(row, about, tally),
      published: row.published,
    },
  };
}

export const planAssistants = (
  rows: readonly LambAssistant[],
  owners: Owners,
  judge: MetadataJudge,
  tally: Tally,
): PlannedAssistant[] => rows.flatMap((row) => planOne(row, owners, judge, tally) ?? []);
