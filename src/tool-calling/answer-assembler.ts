import type { EchoedMembers, ModelChunk } from '../connectors';
import type { FunctionCall } from '../kernel';
import { CallAssembler } from './call-assembler';
import { EchoKeeper } from './echo-keeper';

/** The answer to one model request, assembled from the chunks of its stream. */
export class AnswerAssembler {
  text = '';
  private readonly assembler = new CallAssembler();
  private readonly echo = new EchoKeeper();

  add({ text, calls, echoed }: ModelChunk): void {
    this.text += text;
    for (const delta of calls ?? []) this.assembler.add(delta);
    if (echoed !== undefined) this.echo.add(echoed);
  }

  get calls(): readonly FunctionCall[] {
    return this.assembler.finish();
  }

  get echoed(): EchoedMembers {
    return this.echo.members;
  }
}
