import type { Transaction } from '../../../src/infrastructure/database';
import type { ActivityEntity, ActivitySettings } from '../courses/activity.entity';
import type { LaunchMessage } from '../launch-claims';
import type { PlatformEntity } from '../platforms/platform.entity';

/** A launch whose message was verified, with the platform that sent it. */
export interface LaunchOfPlatform {
  readonly platform: PlatformEntity;
  readonly message: LaunchMessage;
}

export type FormerActivity = Pick<ActivityEntity, 'id' | 'title' | 'courseId' | 'assistantIds' | 'linkedAssistants'>;

/** Things of a former version of LTI that a launch continues. */
export interface Continued {
  readonly activity: FormerActivity | null;
  /** The assistant of the consumer key, for a link without an activity. */
  readonly assistantId: number | null;
  /** Moves the activity and links the person, once. Before the person is admitted, inside the transaction of the launch. */
  readonly settle: (tx: Transaction) => Promise<void>;
}

/** An activity of another installation that nobody launched here yet. */
export interface ImportedBefore {
  readonly title: string;
  readonly assistantIds: readonly number[];
  readonly settings: Partial<ActivitySettings>;
}

/** Answers what a link was before its platform launched it by LTI 1.3. */
export interface FormerLinks {
  of(launch: LaunchOfPlatform): Promise<Continued | null>;
  /** The imported activity of the link; null for none. */
  imported(organizationId: string, message: LaunchMessage): Promise<ImportedBefore | null>;
}

/** Bound by `legacy/`. Without it every link is new, and LTI 1.3 works on. */
export const FORMER_LINKS = Symbol('FORMER_LINKS');
