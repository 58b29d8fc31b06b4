/** Releases after this day have no LTI 1.1: two terms after the first organizations moved from LAMB (ADR-0020). */
export const LTI_11_ENDS = '2027-09-01';

/** `activity`: activities of any resource link. `assistant`: one assistant. `creator`: teachers who work here. */
export const KEY_KINDS = ['activity', 'assistant', 'creator'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** Paths to which links of LAMB lead. */
export const LAMB_PATHS = {
  activity: '/lamb/v1/lti/launch',
  assistant: '/lamb/v1/lti_users/lti',
  creator: '/lamb/v1/lti_creator/launch',
} as const satisfies Record<KeyKind, string>;

export interface NamedKey {
  readonly kind: KeyKind;
  readonly consumerKey: string;
}

/** Beginning of the deployments of a key's courses and activities. */
export const spaceOf = ({ kind, consumerKey }: NamedKey): string => `${kind}:${encodeURIComponent(consumerKey)}`;

/** Beginning of the subjects of a key's people. Keys of kind `assistant` have one secret, so they have the same people. */
export const peopleOf = ({ kind, consumerKey }: NamedKey): string =>
  spaceOf({ kind, consumerKey: kind === 'assistant' ? '' : consumerKey });

/** A name within `space`. `guid` tells platforms apart that share a key (`tool_consumer_instance_guid`). */
export const nameIn = (space: string, guid: string, rest = ''): string =>
  `${space}:${encodeURIComponent(guid)}:${rest}`;

/** The `guid` of a name in `space` that ends with `rest`; null for another name. */
export function guidOf(name: string, space: string, rest = ''): string | null {
  const [start, end] = [`${space}:`, `:${rest}`];
  const isThere = name.startsWith(start) && name.endsWith(end) && name.length >= start.length + end.length;
  const guid = isThere ? name.slice(start.length, name.length - end.length) : ':';
  return guid.includes(':') ? null : decodeURIComponent(guid);
}

/** Whether two launches come from one platform, as far as they say. */
export const mayBeSame = (guid: string, other: string): boolean => guid === '' || other === '' || guid === other;
