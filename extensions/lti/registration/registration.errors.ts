/** Why a platform could not be registered. */
export const REGISTRATION_REFUSALS = [
  'code',
  'no_configuration',
  'unreachable',
  'configuration',
  'busy',
  'refused',
  'taken',
] as const;
export type RegistrationRefusal = (typeof REGISTRATION_REFUSALS)[number];

export class RefusedRegistration extends Error {
  constructor(
    readonly refusal: RegistrationRefusal,
    /** Detail for the log and for the administrator of the platform, whose own words these are. */
    readonly detail: string = '',
  ) {
    super(`The registration was refused: ${refusal}`);
    this.name = 'RefusedRegistration';
  }
}
