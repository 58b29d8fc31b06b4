/** Why a launch is refused. The page words each for its reader; the log names it. */
export const REFUSALS = [
  'bad_request',
  'unknown_platform',
  'inactive_platform',
  'unknown_state',
  'platform_error',
  'platform_unavailable',
  'signature',
  'issuer',
  'audience',
  'expired',
  'clock',
  'nonce',
  'claims',
  'version',
  'message_type',
  'deployment',
  'subject',
  'role',
  'role_unknown',
  'no_resource',
  'no_assistant',
  'assistant_missing',
  'assistant_unpublished',
  'selection',
  'organization',
  'disabled',
  'administrator',
  'sign_on_only',
  'lti11_off',
  'lti11_ended',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** The person who reads the page, as far as a verified token says. */
export interface Reader {
  readonly role: 'learner' | 'instructor' | null;
  /** BCP 47 tag of the platform's page. */
  readonly locale: string | null;
}

const UNKNOWN: Reader = { role: null, locale: null };

export class RefusedLaunch extends Error {
  constructor(
    readonly refusal: Refusal,
    /** For the log: never a token, never a name. */
    readonly detail: string = refusal,
    readonly reader: Reader = UNKNOWN,
  ) {
    super(`The launch was refused: ${refusal}`);
    this.name = 'RefusedLaunch';
  }
}
