import { api, must } from '$lib/kit/api/client';
import type { QueryAnswer } from '$lib/features/content/knowledge/knowledge.types';
import type { TrialQuery } from '$lib/features/content/knowledge/query.svelte';
import type { Judgement } from './ranking.types';

type Found = QueryAnswer['results'][number];

const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** Which passages of a knowledge base the owner marked for the question that was asked last. */
class Judgements {
  error = $state.raw<unknown>(null);
  private known = $state.raw<readonly Judgement[]>([]);
  private question = '';

  constructor(private readonly knowledgeBaseId: string) {}

  async load(question: string): Promise<void> {
    this.question = question;
    this.known = [];
    await this.guarded(async () => {
      const params = { path: { knowledgeBaseId: this.knowledgeBaseId }, query: { question } };
      const { items } = must(await api.GET('/api/v1/knowledge-bases/{knowledgeBaseId}/judgements', { params }));
      if (this.question === question) this.known = items;
    });
  }

  /** True for right, false for wrong, null for unmarked. */
  of(found: Found): boolean | null {
    return this.judgementOf(found)?.right ?? null;
  }

  /** Marks a passage; the mark that it has is taken away. */
  async mark(found: Found, right: boolean): Promise<void> {
    const { question } = this;
    const before = this.judgementOf(found);
    await this.guarded(async () => {
      const path = { knowledgeBaseId: this.knowledgeBaseId };
      if (before?.right === right) {
        await api.DELETE('/api/v1/knowledge-bases/{knowledgeBaseId}/judgements/{id}', {
          params: { path: { ...path, id: before.id } },
        });
        this.known = this.known.filter(({ id }) => id !== before.id);
        return;
      }
      const { document_id, start, end } = found.metadata as { document_id: string; start: number; end: number };
      const body = { question, document_id, start, end, right };
      const made = must(
        await api.PUT('/api/v1/knowledge-bases/{knowledgeBaseId}/judgements', { params: { path }, body }),
      );
      if (this.question === question) this.known = [made, ...this.known.filter(({ id }) => id !== made.id)];
    });
  }

  private judgementOf({ metadata }: Found): Judgement | undefined {
    const chunks = textsIn((metadata as Readonly<Record<string, unknown>>)['chunks']).join(' ');
    return this.known.find((judgement) => judgement.chunks.join(' ') === chunks);
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    this.error = null;
    try {
      await work();
    } catch (thrown) {
      this.error = thrown;
    }
  }
}

const known = new WeakMap<TrialQuery, Judgements>();

/** The marks of a trial, which the passages that it found share. */
export function judgementsOf(trial: TrialQuery): Judgements {
  const judgements = known.get(trial) ?? new Judgements(trial.knowledgeBaseId);
  known.set(trial, judgements);
  return judgements;
}
