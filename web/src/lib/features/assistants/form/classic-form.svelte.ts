import { functionsOf } from '$lib/features/pipeline/pipeline.svelte';
import { fingerprint } from '$lib/kit/ui/differences';
import type { Filler } from '$lib/features/template/document';
import type { ClassicProcessors, Processor } from '$lib/app/catalogues/classic-processors';
import { FixedTemplate } from '$lib/features/template/fixed-template.svelte';
import type { FunctionEntry, Metadata } from '$lib/app/catalogues/assistant';
import { type DefinitionBody, defined } from './body';
import { type AssistantForm, connectorNamed } from './form.types';
import { materialMember } from './only-from-material';
import { suggestedMember, suggestedText } from './suggested-questions';

/** The form of a classic assistant: one RAG processor, one prompt processor, one connector. */
export class ClassicForm implements AssistantForm {
  readonly type = 'classic';
  readonly tools = [];
  name = $state('');
  description = $state('');
  systemPrompt = $state('');
  connector = $state('auto');
  llm = $state('');
  promptProcessor = $state('simple_augment');
  ragProcessor = $state('no_rag');
  collections = $state.raw<readonly string[]>([]);
  topK = $state<number | null>(3);
  rubricId = $state.raw<string | number | null>(null);
  rubricFormat = $state('markdown');
  filePath = $state('');
  vision = $state(false);
  imageGeneration = $state(false);
  onlyFromMaterial = $state(false);
  suggestedQuestions = $state('');
  functions = $state.raw<readonly FunctionEntry[]>([]);
  document = $state.raw() as FixedTemplate;
  private base: Metadata = {};

  readonly prompt = $derived.by(() => this.processors.findPrompt(this.promptProcessor));
  readonly rag = $derived.by(() => this.processors.findRag(this.ragProcessor));
  private readonly fillers = $derived.by((): readonly Filler[] => [
    // Without retrieval the template may still hold the slot, but need not.
    { name: 'context', fills: this.rag?.slots.includes('context') ?? true, mayBeEmpty: true },
    ...(this.prompt?.slots ?? []).map((name) => ({ name, fills: true })),
  ]);

  constructor(
    body: DefinitionBody,
    private readonly processors: ClassicProcessors,
  ) {
    this.load(body);
  }

  /** An automatic template follows the choice. */
  chooseRag(name: string): void {
    const { document } = this;
    const isAutomatic = document.template === document.automatic;
    this.ragProcessor = name;
    if (isAutomatic) document.edit(document.automatic);
  }

  /** Whether the RAG processor reads the setting. */
  reads(setting: Processor['settings'][number]): boolean {
    return this.rag?.settings.includes(setting) ?? false;
  }

  load(body: DefinitionBody): void {
    const { metadata } = body;
    this.base = metadata;
    this.name = body.name;
    this.description = body.description;
    this.systemPrompt = body.system_prompt;
    this.connector = connectorNamed(metadata.connector);
    this.llm = metadata.llm ?? '';
    this.loadProcessors(metadata);
    this.collections = body.RAG_collections ?? [];
    this.topK = body.RAG_Top_k ?? 3;
    this.rubricId = metadata.rubric_id ?? null;
    this.rubricFormat = metadata.rubric_format ?? 'markdown';
    this.filePath = metadata.file_path ?? '';
    this.vision = metadata.capabilities?.vision === true;
    this.imageGeneration = metadata.capabilities?.image_generation === true;
    this.onlyFromMaterial = metadata.only_from_material === true;
    this.suggestedQuestions = suggestedText(metadata);
    this.functions = functionsOf(metadata);
    this.document = new FixedTemplate(body.prompt_template, () => this.fillers);
  }

  private loadProcessors({ prompt_processor, rag_processor }: Metadata): void {
    const prompt = written(prompt_processor) ?? 'simple_augment';
    const rag = written(rag_processor) ?? 'no_rag';
    this.promptProcessor = this.processors.findPrompt(prompt)?.name ?? prompt;
    this.ragProcessor = this.processors.findRag(rag)?.name ?? rag;
  }

  body(): DefinitionBody {
    return {
      name: this.name.trim(),
      description: this.description,
      system_prompt: this.systemPrompt,
      prompt_template: this.document.template,
      metadata: this.metadata(),
      RAG_collections: this.collections,
      RAG_Top_k: this.topK ?? 3,
    };
  }

  normalised(body: DefinitionBody): DefinitionBody {
    return new ClassicForm(body, this.processors).body();
  }

  private metadata(): Metadata {
    const { base } = this;
    const { vision, imageGeneration: image_generation } = this;
    // What nobody chose stays out of documents that never had it.
    const hasCapabilities = base.capabilities !== undefined || vision || image_generation;
    return defined<Metadata>({
      ...base,
      prompt_processor: this.promptProcessor,
      rag_processor: this.ragProcessor,
      connector: this.connector,
      llm: this.llm === '' ? undefined : this.llm,
      rubric_id: this.rubricId ?? (base.rubric_id === undefined ? undefined : null),
      rubric_format: this.reads('rubric') ? this.rubricFormat : base.rubric_format,
      file_path: this.filePath === '' && base.file_path === undefined ? undefined : this.filePath,
      capabilities: hasCapabilities ? { ...base.capabilities, vision, image_generation } : undefined,
      ...suggestedMember(this.suggestedQuestions, base),
      ...materialMember(this.onlyFromMaterial, base),
      ...placed(base, this.functions),
    } as Metadata);
  }
}

const written = (name: string | undefined): string | null => {
  const text = name?.trim() ?? '';
  return text === '' ? null : text;
};

/** Functions stay where a document has them, `tools` or `functions`; new ones come under `functions`. */
function placed(base: Metadata, functions: readonly FunctionEntry[]): Pick<Metadata, 'tools' | 'functions'> {
  const chosen = new Set(functions.map(fingerprint));
  const known = new Set(functionsOf(base).map(fingerprint));
  const among = Array.isArray(base.tools) ? (base.tools as readonly unknown[]) : [];
  const tools = among.filter((entry) => !known.has(fingerprint(entry)) || chosen.has(fingerprint(entry)));
  const kept = new Set(tools.map(fingerprint));
  const others = functions.filter((entry) => !kept.has(fingerprint(entry)));
  return {
    ...(base.tools === undefined ? {} : { tools }),
    ...(base.functions === undefined && others.length === 0 ? {} : { functions: others }),
  };
}
