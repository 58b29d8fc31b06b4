import { api, must } from '$lib/kit/api/client';
import type { KnowledgeBase, QueryAnswer, RetrievalMode } from './knowledge.types';

declare module '$lib/app/slots' {
  interface Slots {
    /** Below a passage that a trial found. */
    'knowledge.passage': { trial: TrialQuery; found: QueryAnswer['results'][number] };
    /** Below the results of a trial. */
    'knowledge.trial': { base: KnowledgeBase; trial: TrialQuery; onsaved: (changed: KnowledgeBase) => void };
  }
}

/** One way of searching, and what it found. */
export interface ModeResult {
  readonly mode: RetrievalMode;
  readonly answer: QueryAnswer | null;
  readonly error: unknown;
}

/** A trial question to a knowledge base, in one mode or in all of them beside one another. */
export class TrialQuery {
  question = $state('');
  mode = $state<RetrievalMode | 'all'>('keyword');
  topK = $state(5);
  threshold = $state(0);
  parent = $state(false);
  asking = $state(false);
  results = $state.raw<readonly ModeResult[]>([]);
  /** The question that `results` answer. */
  asked = $state('');
  private abort = new AbortController();

  constructor(
    readonly knowledgeBaseId: string,
    modes: readonly RetrievalMode[],
  ) {
    this.mode = modes.includes('hybrid') ? 'hybrid' : 'keyword';
  }

  async ask(modes: readonly RetrievalMode[]): Promise<void> {
    this.stop();
    const { signal } = (this.abort = new AbortController());
    const wanted = this.mode === 'all' ? modes : [this.mode];
    const question = this.question.trim();
    this.asking = true;
    const results = await Promise.all(wanted.map((mode) => this.askOne(question, mode, signal)));
    if (signal.aborted) return;
    this.results = results;
    this.asked = question;
    this.asking = false;
  }

  stop(): void {
    this.abort.abort();
    this.asking = false;
  }

  private async askOne(query: string, mode: RetrievalMode, signal: AbortSignal): Promise<ModeResult> {
    const { topK, threshold, parent } = this;
    const params = { path: { id: this.knowledgeBaseId } };
    const body = { query, mode, top_k: topK, threshold, parent };
    try {
      const answer = must(await api.POST('/api/v1/knowledge-bases/{id}/query', { params, body, signal }));
      return { mode, answer, error: null };
    } catch (error) {
      return { mode, answer: null, error };
    }
  }
}
