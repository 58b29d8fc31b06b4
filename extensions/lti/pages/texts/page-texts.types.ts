/** Explanation of an event, and the reader's next step. */
export interface Explained {
  readonly reason: string;
  readonly next: string;
}

export type Explanation =
  | 'again'
  | 'setup'
  | 'unavailable'
  | 'role'
  | 'role_unknown'
  | 'not_ready'
  | 'organization'
  | 'disabled'
  | 'administrator'
  | 'sign_on_only'
  | 'lti11_off'
  | 'lti11_ended';

/** Explanations that say something else to instructors. */
export type InstructorExplanation = 'none' | 'missing' | 'unpublished' | 'lti11_off' | 'lti11_ended';

/** Texts of the pages that a launch may end with. */
export interface PageTexts {
  readonly refused: string;
  readonly code: string;
  readonly reasons: Readonly<Record<Explanation, Explained>>;
  readonly instructor: Readonly<Record<InstructorExplanation, Explained>>;
  readonly opening: string;
  readonly newWindow: Explained & { readonly button: string };
  /** Text in place of the reason, where the address of this service is plain http. */
  readonly plainHttp: string;
  readonly ready: Explained & { readonly button: string };
}
