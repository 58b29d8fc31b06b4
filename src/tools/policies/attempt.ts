import { addUsage } from '../../kernel';
import { CallContext } from '../calls/call-context';
import { TryTimeout } from '../calls/deadline';
import { usageOf } from '../calls/describe-failure';
import { WatchedContext, WatchedInput } from '../calls/watched-context';
import { ToolFailure } from '../contract';
import { readOutput } from '../output/read-output';
import type { LearnedTimes } from './learned-times';
import type { Next } from './policy.types';

/** One try, with a signal and a context of its own: its late effects cannot reach the next try. */
export const attempt = (learned: LearnedTimes): Next =>
  async function attempt(call) {
    const { deadline, watch, boundMs, request } = call;
    const { prepared, input } = request;
    const controller = deadline.nextController();
    const beganAt = performance.now();
    const leftMs = deadline.endsAt - beganAt;
    call.timeoutMs = Math.ceil(Math.min(boundMs, leftMs));
    const endsAt = beganAt + call.timeoutMs;
    const context =
      watch === null
        ? new CallContext(request, controller, endsAt)
        : new WatchedContext(watch, request, controller, endsAt);
    const bound =
      boundMs < leftMs ? setTimeout(() => deadline.interrupt(new TryTimeout(call.timeoutMs)), call.timeoutMs) : null;
    try {
      const asked = watch === null ? input : new WatchedInput(watch, input);
      const raw = await deadline.race(call.tool.run(prepared.config, asked, context));
      const output = readOutput(raw, call.outputLimit);
      call.tryMs = performance.now() - beganAt;
      learned.record(call, call.tryMs, true);
      return output;
    } catch (error) {
      call.spent = addUsage(call.spent, usageOf(error));
      // A try that its run stopped tells nothing about the time that the tool takes.
      const isCancelled = error instanceof ToolFailure && error.code === 'tool.cancelled';
      if (!isCancelled) learned.record(call, performance.now() - beganAt, false);
      throw error;
    } finally {
      if (bound !== null) clearTimeout(bound);
      context.close();
    }
  };
