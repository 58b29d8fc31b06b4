/** Limits of one JSON body, measured: no accepted body stalls the event loop or overflows the stack. */
export interface JsonLimits {
  readonly depth: number;
  readonly values: number;
  readonly arrayLength: number;
  /** Members of one object. */
  readonly members: number;
  /** Values outside the top-level member `messages`. */
  readonly valuesBesideMessages: number;
  /**
   * Object shapes (V8's hidden classes): each new ordered list of member names is one. 200,000 objects of one shape parse
   * in 15 ms; as many members in new shapes take 600 ms.
   */
  readonly shapes: number;
}

export const HOUSE_LIMITS: JsonLimits = {
  depth: 32,
  values: 20_000,
  arrayLength: 2_000,
  members: 200,
  valuesBesideMessages: 20_000,
  shapes: 10_000,
};

/** Bytes of one member name in any body: shapes bound the number of names, not their length. */
export const MOST_NAME_BYTES = 1_024;

/** Conversations are long lists of small messages. */
export const CHAT_LIMITS: JsonLimits = {
  depth: 32,
  values: 200_000,
  arrayLength: 20_000,
  members: 2_000,
  valuesBesideMessages: 20_000,
  shapes: 10_000,
};
