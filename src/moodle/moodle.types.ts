/** Field and value that identify a user; `id` is Moodle's own id. */
export interface MoodleIdentity {
  readonly field: 'id' | 'email' | 'idnumber';
  readonly value: string;
  /** Identity to ask for when Moodle knows nobody by this one. */
  readonly next?: MoodleIdentity;
}

/** Texts are plain: Moodle's HTML escapes are undone. Times are ISO 8601 UTC. */
export interface MoodleCourse {
  readonly id: number;
  readonly name: string;
  readonly shortName: string;
  readonly starts: string | null;
  readonly ends: string | null;
  /** 0..100 */
  readonly progress: number | null;
  readonly completed: boolean | null;
}

export interface MoodleAssignment {
  readonly id: number;
  readonly courseId: number;
  readonly name: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

export interface MoodleTarget {
  readonly organizationId: string;
  readonly apiUrl: string;
  readonly token: string;
  /** Configured by the operator, so a private address is allowed. */
  readonly trusted: boolean;
}
