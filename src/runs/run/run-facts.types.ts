import type { ChatMessage, JsonObject, Source, SourcePassage } from '../../kernel';
import type { ReportResult } from '../report/report.types';

/** A function that the model was offered. */
export interface OfferedDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** A function call of the model with the result that the model read. */
export interface RecordedCall {
  readonly round: number;
  readonly name: string;
  readonly plugin: string;
  readonly status: 'completed' | 'failed';
  /** JSON as the model wrote it. */
  readonly arguments: string;
  /** Null when the result is about the asker as a person: it is not kept. */
  readonly content: string | null;
  readonly sources: readonly Source[];
}

export interface OfferedFunctions {
  readonly declarations: readonly OfferedDeclaration[];
  readonly calls: readonly RecordedCall[];
}

/** What a run was asked and what it told, whole, until its record is written. */
export interface RunFacts {
  /** Messages and parameters of the client. */
  readonly request: { readonly messages: readonly ChatMessage[]; readonly params: JsonObject };
  /** Rule of a course that was added to the prompt; null without one. */
  readonly instruction: string | null;
  /** The definition that was not saved; null for a saved one. */
  readonly definition: unknown;
  /** How the assistant was made, for a hash. */
  readonly document: unknown;
  /** The final messages; null when the run ended before. */
  readonly prompt: readonly ChatMessage[] | null;
  /** The answer that needed no model; null when a model was asked. */
  readonly fixed: string | null;
  /** Null for assistants without functions. */
  readonly functions: OfferedFunctions | null;
  readonly passages: readonly SourcePassage[];
  readonly results: readonly ReportResult[];
  readonly checks: readonly ReportResult[];
  readonly answer: string;
}

/** Why a run cannot be replayed from its record. */
export const UNKEPT_REASONS = ['no_prompt', 'too_large', 'secret'] as const;
export type UnkeptReason = (typeof UNKEPT_REASONS)[number];

/** The part of the facts that is stored for replays. */
export type Recording = Pick<RunFacts, 'request' | 'instruction' | 'definition' | 'fixed' | 'functions' | 'answer'> & {
  readonly prompt: readonly ChatMessage[];
};

/** The run that this one repeats. */
export interface RunReplay {
  readonly of: string;
  readonly mode: 'recorded' | 'fresh';
  /** Differences from the repeated run, by name. */
  readonly changes: JsonObject;
}
