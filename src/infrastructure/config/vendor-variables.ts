import { httpUrl, text } from './parsers';
import { variable, type Variable } from './variable';
import type { Vendor, VendorConfig } from './vendor.types';

export function vendorVariables({ environment, baseUrl }: Vendor): readonly Variable<unknown>[] {
  const variables: Variable<unknown>[] = [];
  if (environment.apiKey !== undefined) variables.push(variable(environment.apiKey, text()));
  if (environment.baseUrl !== undefined) {
    variables.push(variable(`${environment.baseUrl}${baseUrl === null ? '' : `=${baseUrl}`}`, httpUrl()));
  }
  return variables;
}

/** The default address alone configures no vendor. */
export function vendorConfig({ environment, baseUrl }: Vendor, values: ReadonlyMap<string, unknown>): VendorConfig {
  const valueOf = (name = '') => (values.get(name) ?? null) as string | null;
  const apiKey = valueOf(environment.apiKey);
  const address = valueOf(environment.baseUrl) ?? baseUrl;
  const isSet = address !== null && (apiKey !== null || address !== baseUrl);
  return { baseUrl, operator: isSet ? { apiKey, baseUrl: address } : null };
}
