import type { FunctionCall, JsonObject } from '@bellwether/kernel';
import type { EchoedMembers, FunctionCallDelta, ModelChunk } from '../../connectors';
import { ARGUMENTS_LIMIT } from '../../tools';
import { VendorExtensionAssembler, mergedExtra } from './vendor-extension-assembler';

interface GrowingCall {
  readonly id: string;
  readonly name: string;
  arguments: string;
  extraContent: JsonObject | null;
}

/** The answer to one model request, assembled from the chunks of its stream. */
export class AnswerAssembler {
  text = '';
  private readonly growing = new Map<number, GrowingCall>();
  private readonly echo = new VendorExtensionAssembler();

  add({ text, calls, echoed }: ModelChunk): void {
    this.text += text;
    for (const delta of calls ?? []) this.addCall(delta);
    if (echoed !== undefined) this.echo.add(echoed);
  }

  get calls(): readonly FunctionCall[] {
    return [...this.growing.values()].map(({ id, name, arguments: given, extraContent }) => {
      const plain = { id, type: 'function', function: { name, arguments: given } } as const;
      return extraContent === null ? plain : { ...plain, extra_content: extraContent };
    });
  }

  get echoed(): EchoedMembers {
    return this.echo.members;
  }

  /** Keeps one character of the arguments beyond the limit, so that the length check fails later. */
  private addCall({ index, id, name, arguments: text, extraContent }: FunctionCallDelta): void {
    const call = this.growing.get(index) ?? { id: id ?? '', name: name ?? '', arguments: '', extraContent: null };
    this.growing.set(index, call);
    call.arguments += text.slice(0, Math.max(0, ARGUMENTS_LIMIT + 1 - call.arguments.length));
    if (extraContent !== undefined) call.extraContent = mergedExtra(call.extraContent, extraContent);
  }
}
