import { functionsOf, Pipeline, type ToolEntry } from '$lib/features/pipeline/pipeline.svelte';
import type { FunctionEntry, Metadata, ToolInfo } from '$lib/app/catalogues/assistant';
import { type DefinitionBody, defined } from './body';
import { type AssistantForm, connectorNamed } from './form.types';
import { materialMember } from './only-from-material';
import { suggestedMember, suggestedText } from './suggested-questions';

/** The form of a multi-tool assistant. Documents of version 2 are edited, and saved, as version 3. */
export class MultiToolForm implements AssistantForm {
  readonly type = 'multi_tool';
  name = $state('');
  description = $state('');
  systemPrompt = $state('');
  connector = $state('auto');
  llm = $state('');
  strategy = $state('sequential');
  options = $state.raw<Readonly<Record<string, unknown>>>({});
  verbose = $state(false);
  vision = $state(false);
  imageGeneration = $state(false);
  onlyFromMaterial = $state(false);
  suggestedQuestions = $state('');
  functions = $state.raw<readonly FunctionEntry[]>([]);
  pipeline = $state.raw() as Pipeline;
  private base: Metadata = {};

  constructor(
    body: DefinitionBody,
    private readonly catalogue: readonly ToolInfo[],
  ) {
    this.load(body);
  }

  get document(): Pipeline {
    return this.pipeline;
  }

  get tools(): readonly ToolEntry[] {
    return this.pipeline.tools;
  }

  load({ name, description, system_prompt, prompt_template, metadata }: DefinitionBody): void {
    this.base = metadata;
    this.name = name;
    this.description = description;
    this.systemPrompt = system_prompt;
    this.connector = connectorNamed(metadata.connector);
    this.llm = metadata.llm ?? '';
    this.strategy = metadata.orchestrator ?? 'sequential';
    this.options = metadata.orchestrator_options ?? {};
    this.verbose = metadata.verbose === true;
    this.vision = metadata.capabilities?.vision === true;
    this.imageGeneration = metadata.capabilities?.image_generation === true;
    this.onlyFromMaterial = metadata.only_from_material === true;
    this.suggestedQuestions = suggestedText(metadata);
    this.functions = functionsOf(metadata);
    this.pipeline = Pipeline.of(metadata, prompt_template, this.catalogue);
  }

  body(): DefinitionBody {
    return {
      name: this.name.trim(),
      description: this.description,
      system_prompt: this.systemPrompt,
      prompt_template: this.pipeline.template,
      metadata: this.metadata(),
    };
  }

  normalised(body: DefinitionBody): DefinitionBody {
    return new MultiToolForm(body, this.catalogue).body();
  }

  private metadata(): Metadata {
    const hasOptions = Object.keys(this.options).length > 0 || this.base.orchestrator_options !== undefined;
    return defined<Metadata>({
      ...this.base,
      _format_version: 3,
      assistant_type: 'multi_tool',
      orchestrator: this.strategy,
      orchestrator_options: hasOptions ? this.options : undefined,
      connector: this.connector,
      llm: this.llm === '' ? undefined : this.llm,
      capabilities: { ...this.base.capabilities, vision: this.vision, image_generation: this.imageGeneration },
      verbose: this.verbose,
      ...suggestedMember(this.suggestedQuestions, this.base),
      ...materialMember(this.onlyFromMaterial, this.base),
      tools: this.pipeline.toTools(),
      functions: this.functions,
    } as Metadata);
  }
}
