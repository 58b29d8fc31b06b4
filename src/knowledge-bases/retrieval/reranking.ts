import { AppError, type ErrorCode } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { RerankerService } from '../../connectors';
import { type Candidate, isOwn, withColumnNames } from './candidate';
import type { RetrievalQuery } from './retrieval.types';

const NEVER = new AbortController().signal;

/** Begins the reranking of queries. */
@Injectable()
export class Rerankers {
  private readonly logger = new Logger(Rerankers.name);

  constructor(private readonly service: RerankerService) {}

  /** `bases`: knowledge bases that are searched. Null when no passage of the query may be sent to a reranker. */
  begin(
    organizationId: string,
    bases: readonly { readonly id: string; readonly rerank: boolean }[],
    { text: question, rerank, signal = NEVER }: Pick<RetrievalQuery, 'text' | 'rerank' | 'signal'>,
  ): Reranking | null {
    const chosen = new Set(bases.flatMap((base) => ((rerank ?? base.rerank) ? [base.id] : [])));
    if (chosen.size === 0 && rerank !== true) return null;
    return new Reranking({ bases: chosen, external: rerank === true }, async (passages) => {
      try {
        return await this.service.scores(organizationId, { question, passages, signal });
      } catch (error) {
        signal.throwIfAborted();
        const why = rerankFailure(error);
        if (why === null) this.logger.warn({ msg: 'passages could not be reranked', error });
        return why ?? 'failed';
      }
    });
  }
}

/** Candidates that a reranked search needs for `topK` passages. */
export const rerankDepth = (topK: number): number => Math.max(RERANKED, topK) + 10;

const REASONS: Partial<Record<ErrorCode, string>> = {
  connector_not_configured: 'is not set up in this organization',
  outbound_refused: 'has an address that this service may not reach',
  secret_unavailable: 'has a key that cannot be read now',
  upstream_auth: 'refused its key',
  upstream_bad_response: 'gave an unusable answer',
  upstream_error: 'could not be reached or failed',
  upstream_rate_limited: 'is too busy',
  upstream_rejected: 'refused the request',
  upstream_timeout: 'took too long',
  quota_exceeded: 'was not asked because a limit of use is reached',
};

/** Reason why the reranker did not sort, for a warning; null for a defect of this service. */
export const rerankFailure = (error: unknown): string | null =>
  error instanceof AppError ? (REASONS[error.code] ?? 'failed') : null;

const rerankWarning = (why: string): string =>
  `The reranker ${why}: the passages stay in the order in which the search found them`;

/** Most candidates of a list that are scored. Text-embeddings-inference accepts 32 texts per call by default. */
export const RERANKED = 30;

/** Candidates that may be sent to the reranker. */
export interface Rerankable {
  /** Ids of knowledge bases. */
  readonly bases: ReadonlySet<string>;
  /** Whether passages of external servers may be sent, too. */
  readonly external: boolean;
}

/** Scores of the passages, or why the reranker gave none. */
export type AskReranker = (passages: readonly string[]) => Promise<readonly number[] | string>;

/**
 * Sorts the candidates of one query that may be sent to the reranker; all other candidates keep their places. Each list is
 * scored once: a second, deeper search reuses the scores.
 */
export class Reranking {
  private readonly asked = new Map<number, Promise<ReadonlyMap<string, number>>>();
  private failure: string | null = null;

  constructor(
    private readonly allowed: Rerankable,
    private readonly ask: AskReranker,
  ) {}

  get warnings(): readonly string[] {
    return this.failure === null ? [] : [rerankWarning(this.failure)];
  }

  /** `list` is the number of the list within the query. */
  async order(list: number, candidates: readonly Candidate[]): Promise<readonly Candidate[]> {
    const scores = this.asked.get(list) ?? this.judge(candidates);
    this.asked.set(list, scores);
    return reordered(candidates, await scores);
  }

  private async judge(candidates: readonly Candidate[]): Promise<ReadonlyMap<string, number>> {
    const texts = [...new Set(candidates.filter((each) => this.isAllowed(each)).map(textOf))].slice(0, RERANKED);
    if (texts.length < 2) return new Map();
    const scores = await this.ask(texts);
    if (typeof scores === 'string') {
      this.failure = scores;
      return new Map();
    }
    return new Map(texts.map((text, at) => [text, scores[at] ?? 0]));
  }

  private isAllowed(candidate: Candidate): boolean {
    return isOwn(candidate) ? this.allowed.bases.has(candidate.hit.knowledge_base_id) : this.allowed.external;
  }
}

/** The text with its heading, which often names a topic that the text itself does not. */
function textOf(candidate: Candidate): string {
  const { text } = withColumnNames(candidate);
  return isOwn(candidate) && candidate.hit.section !== '' ? `${candidate.hit.section}\n${text}` : text;
}

function reordered(candidates: readonly Candidate[], scores: ReadonlyMap<string, number>): readonly Candidate[] {
  if (scores.size === 0) return candidates;
  const judged = candidates.flatMap((candidate, place) => {
    const relevance = scores.get(textOf(candidate));
    return relevance === undefined ? [] : [{ candidate: { ...candidate, relevance }, place, relevance }];
  });
  const places = judged.map(({ place }) => place);
  const result = [...candidates];
  judged.sort((a, b) => b.relevance - a.relevance || a.place - b.place);
  for (const [at, { candidate }] of judged.entries()) result[places[at] ?? at] = candidate;
  return result;
}
