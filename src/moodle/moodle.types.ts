/** How a person is looked up; `id` is Moodle's own number for them. */
export interface MoodleIdentity {
  readonly field: 'id' | 'email' | 'idnumber';
  readonly value: string;
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

/** Where and how an organization's Moodle is reached. */
export interface MoodleTarget {
  readonly organizationId: string;
  readonly apiUrl: string;
  readonly token: string;
  /** The operator's own, so that a private address may be dialled. */
  readonly trusted: boolean;
}
