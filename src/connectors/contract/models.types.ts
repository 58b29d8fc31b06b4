import type { ModelTarget } from './model-target.types';

/** A model as its vendor lists it. */
export interface ListedModel {
  readonly id: string;
  /** The vendor's name for people; null where it has none. */
  readonly name: string | null;
}

/** How a vendor lists its models. The answer of the request also proves that address and key are right. */
export interface ModelsWire {
  /** Path below the base URL, and the vendor's own headers; OpenAI's way of showing the key when absent. */
  readonly request: (target: ModelTarget) => {
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Null for an answer that is no list of models. */
  readonly read: (payload: unknown) => readonly ListedModel[] | null;
}
