import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isSmallTalk, termsOf } from '../../src/knowledge-bases';
import { GROUP_MEMBERSHIPS } from '../../src/organizations';
import type { RatingValue } from '../../src/runs';
import type { Asker } from './mask-people';
import { TimeSlices } from './time-slices';
import { MaterialSearches } from './unused-material.service';

/** `$1` text-search configuration, `$2` folded words. Stop words have no stem. */
const STEMS = `
  SELECT word, (tsvector_to_array(${termsOf('$1::text', 'word')}))[1] AS stem FROM unnest($2::text[]) AS word`;

/** Stems of words by PostgreSQL's dictionaries, as the search of knowledge bases uses them. */
@Injectable()
export class QuestionStemsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Words without a stem are left out. */
  async of(configuration: string, words: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (words.length === 0) return new Map();
    const rows = await this.dataSource.query<{ word: string; stem: string | null }[]>(STEMS, [configuration, words]);
    return new Map(rows.flatMap(({ word, stem }) => (stem === null ? [] : [[word, stem] as const])));
  }
}

/** Result of the searches for one answer, see `findingOf`. */
export type Finding = 'nothing' | 'weak' | 'good';

/** A question of the class, as its record keeps it. */
export interface AskedQuestion {
  readonly runId: string;
  readonly userId: string;
  /** Null after the contents were deleted. */
  readonly text: string | null;
  readonly time: number;
  readonly firstTokenMs: number | null;
  /** Null unless the answer is complete. */
  readonly answerMs: number | null;
  readonly tokens: { readonly prompt: number; readonly completion: number; readonly total: number } | null;
  readonly costMicros: number | null;
  /** Null when nothing was searched. */
  readonly finding: Finding | null;
  readonly rating: { readonly value: RatingValue; readonly reason: string | null } | null;
}

/** One use of a tool: its plugin, the way it ended, the length of its result, and whether its match was weak. */
export type ToolUse = readonly [plugin: string, status: string, chars: number | null, weak: boolean | null];

/**
 * Result of the searches for an answer: `nothing` without any text; `weak` when every search that found some tells that it
 * hardly fits. Null without a search, and when every search failed: then nobody knows what there is.
 *
 * A recorded match proves a search, also by a plugin that is gone. Without one, an unknown plugin counts as no search.
 */
export function findingOf(
  uses: readonly ToolUse[],
  hasSources: boolean,
  searches: Pick<MaterialSearches, 'of'>,
): Finding | null {
  const completed = uses
    .filter(([, status]) => status === 'completed')
    .map(([plugin, , chars, weak]) => ({ search: searches.of(plugin), chars, weak }))
    .filter(({ search, weak }) => search !== null || weak !== null);
  if (completed.length === 0) return hasSources ? 'good' : null;
  const found = completed.filter(
    ({ search, chars }) => chars !== 0 && (hasSources || search?.nothing_found !== 'worded'),
  );
  if (found.length === 0 && !hasSources) return 'nothing';
  return found.length > 0 && found.every(({ weak }) => weak === true) ? 'weak' : 'good';
}

/**
 * `$1` organization, `$2` assistant. People who may edit the assistant: their questions are trials. A student cannot edit,
 * whatever was shared. Otherwise a share with one student would take that student out of the figures, and the difference
 * would tell what the student asked.
 */
const EDITORS = `
  SELECT owner_id AS user_id FROM assistants WHERE organization_id = $1 AND id = $2
  UNION
  SELECT user_id FROM (
    SELECT user_id FROM assistant_shares WHERE organization_id = $1 AND assistant_id = $2 AND access = 'edit'
    UNION
    SELECT membership.user_id FROM assistant_group_shares share JOIN ${GROUP_MEMBERSHIPS} membership
      ON membership.group_id = share.group_id AND membership.organization_id = share.organization_id
    WHERE share.organization_id = $1 AND share.assistant_id = $2 AND share.access = 'edit'
  ) shared
  WHERE user_id NOT IN (SELECT user_id FROM members WHERE organization_id = $1 AND role = 'member')
  UNION
  SELECT user_id FROM members WHERE organization_id = $1 AND role IN ('owner', 'admin')`;

/** `$3` the least id, `$4` the most rows. Runs of tests are drafts. */
const OF_CLASS = `
  FROM runs run
  WHERE run.organization_id = $1 AND run.assistant_id = $2 AND run.id >= $3 AND NOT run.draft AND run.replay IS NULL
    AND run.parent_run_id IS NULL AND run.status NOT IN ('queued', 'running') AND run.user_id NOT IN (${EDITORS})
  ORDER BY run.id DESC LIMIT $4`;

const ASKERS = `SELECT run.id AS "runId", run.user_id AS "userId", run.created_at AS "createdAt" ${OF_CLASS}`;

const ASKED = `
  SELECT run.id, run.user_id AS "userId", run.question, run.created_at AS "createdAt", run.status,
    run.first_token_ms AS "firstTokenMs", run.duration_ms AS "durationMs", run.prompt_tokens AS "promptTokens",
    run.completion_tokens AS "completionTokens", run.total_tokens AS "totalTokens", run.cost_micros AS "costMicros",
    run.rating, run.rating_reason AS "ratingReason",
    (SELECT jsonb_agg(jsonb_build_array(tool->'plugin', tool->'status', tool->'chars', tool#>'{search,match,weak}'))
       FROM jsonb_array_elements(run.tools) tool) AS uses,
    run.sources @> '[{"type": "knowledge_base"}]' AS "hasSources"
  ${OF_CLASS}`;

interface AskerRow {
  readonly runId: string;
  readonly userId: string;
  readonly createdAt: Date;
}

interface AskedRow {
  readonly id: string;
  readonly userId: string;
  readonly question: string | null;
  readonly createdAt: Date;
  readonly status: string;
  readonly firstTokenMs: number | null;
  readonly durationMs: number | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly totalTokens: number | null;
  readonly costMicros: string | null;
  readonly rating: RatingValue | null;
  readonly ratingReason: string | null;
  readonly uses: readonly ToolUse[] | null;
  readonly hasSources: boolean;
}

/** Reads what the class of an assistant asked: everybody but the people who may edit it. */
@Injectable()
export class AskedQuestionsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly searches: MaterialSearches,
  ) {}

  /** Askers of the newest `limit` questions since `since` (milliseconds since 1970), oldest first. */
  async askers(
    organizationId: string,
    { assistantId, since, limit }: { readonly assistantId: number; readonly since: number; readonly limit: number },
  ): Promise<Asker[]> {
    const parameters = [organizationId, assistantId, idAt(since), limit];
    const rows = await this.dataSource.query<AskerRow[]>(ASKERS, parameters);
    return rows.reverse().map(({ createdAt, ...asker }) => ({ ...asker, time: createdAt.getTime() }));
  }

  /** Newest first, at most `limit`, from the run `from` on. */
  async newest(
    organizationId: string,
    { assistantId, from, limit }: { readonly assistantId: number; readonly from: string; readonly limit: number },
  ): Promise<AskedQuestion[]> {
    const parameters = [organizationId, assistantId, from, limit];
    const rows = await this.dataSource.query<AskedRow[]>(ASKED, parameters);
    const slices = new TimeSlices();
    const questions: AskedQuestion[] = [];
    for (const row of rows) {
      await slices.ifDue();
      questions.push(questionOf(row, this.searches));
    }
    return questions;
  }
}

function questionOf(row: AskedRow, searches: MaterialSearches): AskedQuestion {
  const { promptTokens: prompt, completionTokens: completion, totalTokens: total } = row;
  const isSearched = row.question === null || !isSmallTalk(row.question);
  return {
    runId: row.id,
    userId: row.userId,
    text: row.question,
    time: row.createdAt.getTime(),
    firstTokenMs: row.firstTokenMs,
    answerMs: row.status === 'completed' ? row.durationMs : null,
    tokens: prompt === null || completion === null || total === null ? null : { prompt, completion, total },
    costMicros: row.costMicros === null ? null : Number(row.costMicros),
    finding: isSearched ? findingOf(row.uses ?? [], row.hasSources, searches) : null,
    rating: row.rating === null ? null : { value: row.rating, reason: row.ratingReason },
  };
}

/** The least id of a run that began at this time: a UUID of version 7 begins with its time. */
function idAt(time: number): string {
  const hex = Math.max(0, Math.trunc(time)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
