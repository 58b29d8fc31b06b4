import type { Schema } from '$lib/kit/api/client';

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
  /** Secret as typed: the service never shows the stored one. */
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
