import { api, must } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
import { RepeatKey } from '$lib/api/repeat-key';
import { catalogues } from '$lib/catalogues.svelte';
import { english, type Wording } from '$lib/ui/wording';
import type { KnowledgeBase, Language, NewKnowledgeBase } from './knowledge.types';

export const CHUNK_SIZE = { least: 200, most: 8000, usual: 2000 };
export const CHUNK_OVERLAP = { least: 0, most: 2000, usual: 200 };

/** What somebody types into the form of a knowledge base. */
export class KnowledgeBaseForm {
  name = $state('');
  description = $state('');
  slug = $state('');
  language = $state<Language | ''>('');
  visibility = $state<KnowledgeBase['visibility']>('private');
  chunkSize = $state<number | null>(CHUNK_SIZE.usual);
  chunkOverlap = $state<number | null>(CHUNK_OVERLAP.usual);
  provider = $state('');
  model = $state('');
  dimensions = $state<number | null>(null);
  hybridWeight = $state<number | null>(null);
  saving = $state(false);
  error = $state.raw<unknown>(null);

  /** Something is typed that is not saved. */
  readonly dirty = $derived.by(() => this.typed() !== this.untouched);
  private untouched = $state('');
  private readonly key = new RepeatKey();

  constructor(private readonly base: KnowledgeBase | null) {
    if (base !== null) this.show(base);
    this.untouched = this.typed();
  }

  /** What the service said of a field, by its path. */
  problemAt(...paths: readonly string[]): Wording | null {
    if (!(this.error instanceof ProblemError)) return null;
    return english(this.error.errors.find(({ path }) => paths.includes(path))?.message);
  }

  /** Whether saving has the documents taken in again, or new vectors built. */
  get reworks(): boolean {
    const { base } = this;
    if (base === null || base.chunk_count === 0) return false;
    return (
      (this.language !== '' && this.language !== base.language) ||
      this.chunkSize !== base.chunk_size ||
      this.chunkOverlap !== base.chunk_overlap ||
      this.provider !== (base.embedding?.provider ?? '') ||
      this.model !== (base.embedding?.model ?? '')
    );
  }

  /** The saved knowledge base, or null when it was refused: `error` says why. */
  async save(): Promise<KnowledgeBase | null> {
    if (this.saving) return null;
    this.saving = true;
    this.error = null;
    const sent = this.typed();
    try {
      const saved = this.base === null ? await this.create() : await this.update(this.base);
      catalogues.forget();
      this.untouched = sent;
      return saved;
    } catch (error) {
      this.error = error;
      this.key.failed(error);
      return null;
    } finally {
      this.saving = false;
    }
  }

  private show(base: KnowledgeBase): void {
    this.name = base.name;
    this.description = base.description;
    this.slug = base.slug;
    this.language = (base.language ?? '') as Language | '';
    this.visibility = base.visibility;
    this.chunkSize = base.chunk_size;
    this.chunkOverlap = base.chunk_overlap;
    this.provider = base.embedding?.provider ?? '';
    this.model = base.embedding?.model ?? '';
    this.hybridWeight = base.embedding === null ? null : base.hybrid_weight;
  }

  private async create(): Promise<KnowledgeBase> {
    const { slug } = this;
    const body = { ...this.values(), ...(slug === '' ? {} : { slug }) };
    const params = { header: { 'Idempotency-Key': this.key.for(body) } };
    return must(await api.POST('/api/v1/knowledge-bases', { params, body }));
  }

  private async update({ id, slug, hybrid_weight: weight }: KnowledgeBase): Promise<KnowledgeBase> {
    const { hybrid_weight: wished, ...values } = this.values();
    const body = {
      ...values,
      ...(this.slug === slug || this.slug === '' ? {} : { slug: this.slug }),
      // What the service chose by the model is not made the owner's choice.
      ...(wished === weight ? {} : { hybrid_weight: wished ?? null }),
    };
    return must(await api.PATCH('/api/v1/knowledge-bases/{id}', { params: { path: { id } }, body }));
  }

  private typed(): string {
    return JSON.stringify([this.slug, this.values()]);
  }

  private values(): NewKnowledgeBase {
    const { provider, model, dimensions } = this;
    return {
      name: this.name,
      description: this.description,
      visibility: this.visibility,
      ...(this.language === '' ? {} : { language: this.language }),
      ...(this.chunkSize === null ? {} : { chunk_size: this.chunkSize }),
      ...(this.chunkOverlap === null ? {} : { chunk_overlap: this.chunkOverlap }),
      embedding: provider === '' ? null : { provider, model, ...(dimensions === null ? {} : { dimensions }) },
      hybrid_weight: provider === '' ? null : this.hybridWeight,
    };
  }
}
