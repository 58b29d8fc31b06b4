import type { Schema } from '$lib/kit/api/client';
import { same } from '$lib/kit/ui/differences';

export type Bridge = Schema<'BridgeDto'>;
export type BridgeChange = Partial<Schema<'UpdateBridgeDto'>>;
export type BridgeKey = Schema<'BridgeKeyDto'>;

/** Releases of the service after this day have no LTI 1.1. */
export const LTI_11_ENDS = '2027-09-01';

/** Content of the form. */
export interface BridgeValues {
  enabled: boolean;
  /** ISO 8601; empty for none. */
  until: string;
  /** As typed: the service never shows the stored one. */
  secret: string;
  clearSecret: boolean;
  continuedBy: string[];
}

export const valuesOf = ({ enabled, until, continued_by: continuedBy }: Bridge): BridgeValues => ({
  enabled,
  until: until ?? '',
  secret: '',
  clearSecret: false,
  continuedBy: [...continuedBy],
});

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each) => other.includes(each));

/** Members that differ from `before`. */
export function changeOf(before: Bridge, values: BridgeValues): BridgeChange {
  const { enabled, until, secret, clearSecret, continuedBy } = values;
  return {
    ...(enabled !== before.enabled && { enabled }),
    ...(until !== (before.until ?? '') && { until: until === '' ? null : until }),
    ...(clearSecret && before.assistant_secret_configured && { assistant_secret: null }),
    ...(!clearSecret && secret !== '' && { assistant_secret: secret }),
    ...(!isSame(continuedBy, before.continued_by) && { continued_by: continuedBy }),
  };
}

/** Whether a change overwrites nothing that another person saved since `base`. A secret is never compared. */
export const overwritesNothing = (base: Bridge, theirs: Bridge, change: BridgeChange): boolean =>
  Object.entries(change).every(([name, mine]) => {
    const now = theirs[name as keyof Bridge];
    return same(now, base[name as keyof Bridge]) || same(now, mine);
  });
