import { Injectable } from '@nestjs/common';
import { AssistantsService, type RunnableAssistant } from '../../assistants';
import { assertScope, CallerWatch } from '../../auth';
import { AppError, type Caller } from '../../kernel';
import type { ParentRun, Run } from '../../runs';
import { StreamsInFlight } from './streams-in-flight';

export interface WatchedCompletion {
  readonly run: Run;
  readonly caller: Caller;
  readonly assistant: RunnableAssistant;
  readonly parent: ParentRun | null;
}

export interface CompletionHold {
  /** @throws AppError when the caller has lost access */
  assertAllowed(): Promise<void>;
  leave(): void;
}

/** Registers open completions for the shutdown, and aborts a completion whose caller loses access. */
@Injectable()
export class CompletionWatch {
  constructor(
    private readonly inFlight: StreamsInFlight,
    private readonly callers: CallerWatch,
    private readonly assistants: AssistantsService,
  ) {}

  /** @throws `server_shutdown` once the service drains */
  assertOpen(): void {
    this.inFlight.assertOpen();
  }

  enter({ run, caller, assistant, parent }: WatchedCompletion): CompletionHold {
    const leave = this.inFlight.enter(run);
    const watch = this.callers.watch({
      caller,
      organizationIds: [caller.organizationId, assistant.organizationId],
      subject: `assistant/${assistant.id}/${assistant.draft ? 'draft' : ''}/${parent?.runId ?? ''}`,
      check: (now) => this.check(now, assistant, parent),
      end: ({ code }) => run.abort(code),
    });
    return {
      assertAllowed: () => watch.assert(),
      leave: () => {
        watch.leave();
        leave();
      },
    };
  }

  /** A nested run depends on the rights of the calling assistant's owner, which `mayGoOn` checks. */
  private async check(caller: Caller, assistant: RunnableAssistant, parent: ParentRun | null): Promise<void> {
    assertScope(caller, 'chat');
    if (parent === null) await this.assistants.assertUsable(caller, assistant);
    else if (!(await parent.mayGoOn(caller))) throw new AppError('not_found', 'Assistant not found');
  }
}
