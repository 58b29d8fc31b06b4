import type { Feature } from '../../organizations';

export const RECIPE_LANGUAGES = ['en', 'es', 'ca', 'eu'] as const;
export type RecipeLanguage = (typeof RECIPE_LANGUAGES)[number];

export type Localised = Readonly<Record<RecipeLanguage, string>>;

export const MATERIAL_KINDS = ['knowledge_base', 'rubric', 'file'] as const;
export type MaterialKind = (typeof MATERIAL_KINDS)[number];

/** Setting of an entry of `tools` or `functions` that takes a chosen material. */
export interface MaterialSlot {
  readonly list: 'tools' | 'functions';
  readonly index: number;
  readonly setting: string;
  /** The setting is a list of ids. */
  readonly many: boolean;
}

/** Something of the teacher's own that the assistant reads. */
export interface RecipeMaterial {
  readonly key: string;
  readonly kind: MaterialKind;
  readonly name: Localised;
  readonly hint: Localised;
  readonly fills: readonly MaterialSlot[];
}

/** Questions about something in a material. `{topic}` stands for a title in it. */
export interface RecipeTopic {
  /** Key of the material. */
  readonly material: string;
  readonly questions: readonly Localised[];
}

/** A whole assistant without its materials. */
export interface Recipe {
  readonly id: string;
  readonly icon: string;
  readonly name: Localised;
  /** The purpose of the assistant, in one sentence. */
  readonly about: Localised;
  /** Features of the organization that it depends on. */
  readonly needs: readonly Feature[];
  readonly materials: readonly RecipeMaterial[];
  readonly description: Localised;
  readonly systemPrompt: Localised;
  readonly promptTemplate: Localised;
  /** First questions to try. */
  readonly questions: readonly Localised[];
  /** Better first questions, once the material is chosen: a search finds something for them. */
  readonly topic?: RecipeTopic;
  readonly metadata: RecipeMetadata;
}

/** `metadata` of the assistant (docs/reference/metadata.md), version 3. */
export interface RecipeMetadata {
  readonly orchestrator: string;
  readonly tools: readonly object[];
  readonly functions: readonly object[];
}
