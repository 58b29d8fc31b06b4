import type { Schema } from '$lib/kit/api/client';
import type { SettingsPatch } from '$lib/features/organization/organization.types';

export type McpServer = Schema<'McpServerDto'>;
type ServerPatch = NonNullable<NonNullable<NonNullable<SettingsPatch['mcp']>['servers']>[string]>;

/** The service's own pattern: the name becomes a part of function names. */
export const SERVER_NAME = '[a-z][a-z0-9\\-]*';
export const SERVER_NAME_MAX = 24;
export const SERVERS_MAX = 20;

/** Values of a server's form; texts as they are typed. */
export interface McpForm {
  url: string;
  enabled: boolean;
  /** A new token; empty leaves the stored one. */
  token: string;
  /** Takes the stored token away. */
  clearToken: boolean;
}

export const mcpFormOf = ({ url, enabled }: McpServer): McpForm => ({
  url: url ?? '',
  enabled,
  token: '',
  clearToken: false,
});

const urlOf = ({ url }: McpForm): string | null => (url.trim() === '' ? null : url.trim());

function tokenOf({ token, clearToken }: McpForm): ServerPatch {
  if (token !== '') return { token };
  return clearToken ? { token: null } : {};
}

/** Changes as a merge patch: null removes, what is not named stays. Empty when nothing changed. */
export const mcpPatch = (before: McpServer, form: McpForm): ServerPatch => ({
  ...(urlOf(form) === before.url ? {} : { url: urlOf(form) }),
  ...(form.enabled === before.enabled ? {} : { enabled: form.enabled }),
  ...tokenOf(form),
});

/** The service forgets a token when it would be sent somewhere else than to where it was given for. */
export const losesToken = (before: McpServer, form: McpForm): boolean =>
  before.token_configured && form.token === '' && !form.clearToken && urlOf(form) !== before.url;
