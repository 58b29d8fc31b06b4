import { api, must } from '$lib/kit/api/client';
import { ifMatch } from '$lib/kit/api/versions';
import { forgetCatalogues } from '$lib/app/catalogues/fetched';
import { type Difference, differencesOf, fingerprint } from '$lib/kit/ui/differences';
import { VersionedForm } from '$lib/kit/ui/versioned-form.svelte';
import type { KnowledgeBase, Language, NewKnowledgeBase } from './knowledge.types';

export const CHUNK_SIZE = { least: 200, most: 8000, usual: 2000 };
export const CHUNK_OVERLAP = { least: 0, most: 2000, usual: 200 };

interface Settings {
  readonly name: string;
  readonly description: string;
  readonly slug: string;
  /** Empty: detected in each document. */
  readonly language: Language | '';
  readonly visibility: KnowledgeBase['visibility'];
  readonly passagesShown: boolean;
  readonly chunkSize: number | null;
  readonly chunkOverlap: number | null;
  /** Empty: searched by words only. */
  readonly provider: string;
  readonly model: string;
  readonly hybridWeight: number | null;
  readonly rerank: boolean;
}

const languageOf = ({ language, language_chosen: chosen }: KnowledgeBase): Language | '' =>
  chosen ? ((language ?? '') as Language | '') : '';

const settingsOf = (base: KnowledgeBase): Settings => ({
  name: base.name,
  description: base.description,
  slug: base.slug,
  language: languageOf(base),
  visibility: base.visibility,
  passagesShown: base.passages_shown,
  chunkSize: base.chunk_size,
  chunkOverlap: base.chunk_overlap,
  provider: base.embedding?.provider ?? '',
  model: base.embedding?.model ?? '',
  hybridWeight: base.embedding === null ? null : base.hybrid_weight,
  rerank: base.rerank,
});

/** Settings by path. */
const textsOf = ({ provider, language, ...settings }: Settings): Readonly<Record<string, string>> => ({
  name: settings.name,
  description: settings.description,
  slug: settings.slug,
  language,
  visibility: settings.visibility,
  passages_shown: String(settings.passagesShown),
  chunk_size: String(settings.chunkSize ?? ''),
  chunk_overlap: String(settings.chunkOverlap ?? ''),
  embedding: provider === '' ? '' : `${provider}: ${settings.model}`,
  hybrid_weight: provider === '' ? '' : String(settings.hybridWeight ?? ''),
  rerank: String(settings.rerank),
});

interface Sent {
  readonly slug: string;
  readonly values: NewKnowledgeBase;
}

/** The settings form of a knowledge base. */
export class KnowledgeBaseForm extends VersionedForm<KnowledgeBase, Sent> implements Settings {
  name = $state('');
  description = $state('');
  slug = $state('');
  language = $state<Language | ''>('');
  visibility = $state<KnowledgeBase['visibility']>('private');
  passagesShown = $state(true);
  chunkSize = $state<number | null>(CHUNK_SIZE.usual);
  chunkOverlap = $state<number | null>(CHUNK_OVERLAP.usual);
  provider = $state('');
  model = $state('');
  dimensions = $state<number | null>(null);
  hybridWeight = $state<number | null>(null);
  rerank = $state(false);
  readonly differences = $derived.by((): readonly Difference[] =>
    this.theirs === null ? [] : differencesOf(textsOf(settingsOf(this.theirs)), textsOf(this.settings)),
  );
  readonly dirty = $derived.by(() => fingerprint(this.body()) !== this.untouched);
  private untouched = $state('');

  constructor(base: KnowledgeBase | null) {
    super();
    if (base === null) this.untouched = fingerprint(this.body());
    else this.show(base);
  }

  /** Whether saving re-indexes the documents. */
  get reworks(): boolean {
    const { saved: base } = this;
    if (base === null || base.chunk_count === 0) return false;
    return (
      this.language !== languageOf(base) ||
      this.chunkSize !== base.chunk_size ||
      this.chunkOverlap !== base.chunk_overlap ||
      this.provider !== (base.embedding?.provider ?? '') ||
      this.model !== (base.embedding?.model ?? '')
    );
  }

  private get settings(): Settings {
    const { name, description, slug, language, visibility, passagesShown } = this;
    const { chunkSize, chunkOverlap, provider, model, hybridWeight, rerank } = this;
    const search = { chunkSize, chunkOverlap, provider, model, hybridWeight, rerank };
    return { name, description, slug, language, visibility, passagesShown, ...search };
  }

  protected body(): Sent {
    return { slug: this.slug, values: this.values() };
  }

  protected async create({ slug, values }: Sent, key: string): Promise<KnowledgeBase> {
    const body = { ...values, ...(slug === '' ? {} : { slug }) };
    return must(await api.POST('/api/v1/knowledge-bases', { params: { header: { 'Idempotency-Key': key } }, body }));
  }

  protected async update(base: KnowledgeBase, version: number, { slug, values }: Sent): Promise<KnowledgeBase> {
    const { hybrid_weight: weight, ...others } = values;
    const body = {
      ...others,
      ...(slug === base.slug || slug === '' ? {} : { slug }),
      // A weight that the service chose for the model does not become the owner's choice.
      ...(weight === base.hybrid_weight ? {} : { hybrid_weight: weight ?? null }),
    };
    const params = { path: { id: base.id }, header: ifMatch(version) };
    return must(await api.PATCH('/api/v1/knowledge-bases/{id}', { params, body }));
  }

  protected async read({ id }: KnowledgeBase): Promise<KnowledgeBase> {
    return must(await api.GET('/api/v1/knowledge-bases/{id}', { params: { path: { id } } }));
  }

  /** Every setting of `theirs` equals the one that was read, or the one typed here. */
  protected losesNothing(base: KnowledgeBase, theirs: KnowledgeBase): boolean {
    const [before, after, mine] = [textsOf(settingsOf(base)), textsOf(settingsOf(theirs)), textsOf(this.settings)];
    return Object.entries(after).every(([path, text]) => text === before[path] || text === (mine[path] ?? text));
  }

  protected settle(base: KnowledgeBase, sent: Sent): void {
    forgetCatalogues();
    this.saved = base;
    this.untouched = fingerprint(sent);
  }

  protected show(base: KnowledgeBase): void {
    this.saved = base;
    Object.assign(this, settingsOf(base));
    this.untouched = fingerprint(this.body());
  }

  private values(): NewKnowledgeBase {
    const { provider, model, dimensions } = this;
    return {
      name: this.name,
      description: this.description,
      visibility: this.visibility,
      passages_shown: this.passagesShown,
      language: this.language === '' ? null : this.language,
      ...(this.chunkSize === null ? {} : { chunk_size: this.chunkSize }),
      ...(this.chunkOverlap === null ? {} : { chunk_overlap: this.chunkOverlap }),
      embedding: provider === '' ? null : { provider, model, ...(dimensions === null ? {} : { dimensions }) },
      hybrid_weight: provider === '' ? null : this.hybridWeight,
      rerank: this.rerank,
    };
  }
}
