import { api, must } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';
import { RepeatKey } from '$lib/api/repeat-key';
import { ifMatch, sendUpon } from '$lib/api/versions';
import { catalogues } from '$lib/catalogues.svelte';
import { type Difference, differencesOf } from '$lib/ui/differences';
import { english, type Wording } from '$lib/ui/wording';
import type { KnowledgeBase, Language, NewKnowledgeBase } from './knowledge.types';

export const CHUNK_SIZE = { least: 200, most: 8000, usual: 2000 };
export const CHUNK_OVERLAP = { least: 0, most: 2000, usual: 200 };

interface Settings {
  readonly name: string;
  readonly description: string;
  readonly slug: string;
  /** Empty: decided by the first document. */
  readonly language: Language | '';
  readonly visibility: KnowledgeBase['visibility'];
  readonly chunkSize: number | null;
  readonly chunkOverlap: number | null;
  /** Empty: searched by words only. */
  readonly provider: string;
  readonly model: string;
  readonly hybridWeight: number | null;
}

const settingsOf = (base: KnowledgeBase): Settings => ({
  name: base.name,
  description: base.description,
  slug: base.slug,
  language: (base.language ?? '') as Language | '',
  visibility: base.visibility,
  chunkSize: base.chunk_size,
  chunkOverlap: base.chunk_overlap,
  provider: base.embedding?.provider ?? '',
  model: base.embedding?.model ?? '',
  hybridWeight: base.embedding === null ? null : base.hybrid_weight,
});

/** What is sent, by path; a language that the first document decides is not. */
const textsOf = ({ provider, language, ...settings }: Settings): Readonly<Record<string, string>> => ({
  name: settings.name,
  description: settings.description,
  slug: settings.slug,
  ...(language === '' ? {} : { language }),
  visibility: settings.visibility,
  chunk_size: String(settings.chunkSize ?? ''),
  chunk_overlap: String(settings.chunkOverlap ?? ''),
  embedding: provider === '' ? '' : `${provider}: ${settings.model}`,
  hybrid_weight: provider === '' ? '' : String(settings.hybridWeight ?? ''),
});

/** What somebody types into the form of a knowledge base. */
export class KnowledgeBaseForm implements Settings {
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
  /** Somebody saved other settings since these were read. */
  theirs = $state.raw<KnowledgeBase | null>(null);
  readonly differences = $derived.by((): readonly Difference[] =>
    this.theirs === null ? [] : differencesOf(textsOf(settingsOf(this.theirs)), textsOf(this.settings)),
  );

  /** Something is typed that is not saved. */
  readonly dirty = $derived.by(() => this.typed() !== this.untouched);
  private untouched = $state('');
  private readonly key = new RepeatKey();

  private base = $state.raw<KnowledgeBase | null>(null);

  constructor(base: KnowledgeBase | null) {
    if (base === null) this.untouched = this.typed();
    else this.begin(base);
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

  /** The saved knowledge base; null when it was refused (`error`), or somebody else was faster (`theirs`). */
  async save(): Promise<KnowledgeBase | null> {
    if (this.saving) return null;
    this.saving = true;
    this.error = null;
    const sent = this.typed();
    try {
      const saved = this.base === null ? await this.create() : await this.update(this.base);
      if (saved === null) return null;
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

  /** Writes what is typed here over the settings that somebody else saved. */
  overwrite(): Promise<KnowledgeBase | null> {
    this.base = this.theirs ?? this.base;
    this.theirs = null;
    return this.save();
  }

  /** Gives what is typed here up for the settings that somebody else saved. */
  takeTheirs(): void {
    if (this.theirs !== null) this.begin(this.theirs);
    this.theirs = null;
  }

  keepEditing(): void {
    this.theirs = null;
  }

  private get settings(): Settings {
    const { name, description, slug, language, visibility, chunkSize, chunkOverlap } = this;
    const { provider, model, hybridWeight } = this;
    return { name, description, slug, language, visibility, chunkSize, chunkOverlap, provider, model, hybridWeight };
  }

  private begin(base: KnowledgeBase): void {
    this.base = base;
    Object.assign(this, settingsOf(base));
    this.untouched = this.typed();
  }

  private async create(): Promise<KnowledgeBase> {
    const { slug } = this;
    const body = { ...this.values(), ...(slug === '' ? {} : { slug }) };
    const params = { header: { 'Idempotency-Key': this.key.for(body) } };
    return must(await api.POST('/api/v1/knowledge-bases', { params, body }));
  }

  private async update(read: KnowledgeBase): Promise<KnowledgeBase | null> {
    const { id, slug, hybrid_weight: weight } = read;
    const { hybrid_weight: wished, ...values } = this.values();
    const body = {
      ...values,
      ...(this.slug === slug || this.slug === '' ? {} : { slug: this.slug }),
      // What the service chose by the model is not made the owner's choice.
      ...(wished === weight ? {} : { hybrid_weight: wished ?? null }),
    };
    const path = { id };
    const told = await sendUpon<KnowledgeBase>(read.version, {
      send: async (version) =>
        must(await api.PATCH('/api/v1/knowledge-bases/{id}', { params: { path, header: ifMatch(version) }, body })),
      read: async () => must(await api.GET('/api/v1/knowledge-bases/{id}', { params: { path } })),
      losesNothing: (theirs) => this.losesNothing(read, theirs),
    });
    if ('saved' in told) return told.saved;
    this.theirs = told.theirs;
    return null;
  }

  /** Every setting of theirs is as it was read, or as it is typed here. */
  private losesNothing(read: KnowledgeBase, theirs: KnowledgeBase): boolean {
    const [before, after, mine] = [textsOf(settingsOf(read)), textsOf(settingsOf(theirs)), textsOf(this.settings)];
    return Object.entries(after).every(([path, text]) => text === before[path] || text === (mine[path] ?? text));
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
