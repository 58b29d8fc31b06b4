import type { AnswerEvent, Completion } from '../../answering';
import { isJsonObject, type JsonObject, type Source } from '../../kernel';
import { ownIdentity } from './chunk-identity';
import { withoutThoughts } from './hidden-thoughts';
import { reportBody } from './report-answer';
import { wholeBody } from './whole-body';

/** Builds the body of a completion from the events of its answer. */
export class JsonBody {
  text = '';
  private sources: readonly Source[] = [];
  private hasRounds = false;
  private body: JsonObject = {};
  /** The model's text of each round. */
  private readonly texts: string[] = [];

  constructor(private readonly completion: Completion) {}

  add(event: AnswerEvent): void {
    if (event.type === 'sources') this.sources = event.sources;
    else if (event.type === 'round') this.hasRounds = true;
    else if (event.type === 'message') {
      this.body = event.answer.body;
      this.texts.push(event.answer.text);
    } else if (event.type === 'answered')
      this.keep(this.hasRounds ? wholeBody(this.shown(this.body), this.texts, event.usage) : this.body);
    else if (event.type === 'report') this.keep(reportBody(event.markdown, ownIdentity(this.completion, event.model)));
  }

  private keep(body: object): void {
    this.text = JSON.stringify({ ...body, run_id: this.completion.run.id, sources: this.sources });
  }

  /** Removes thoughts, which quote the prompt, for callers who may not see all of it. */
  private shown(body: JsonObject): JsonObject {
    const { choices } = body;
    if (this.completion.assistant.disclosure === 'whole' || !Array.isArray(choices)) return body;
    const shown = (choices as unknown[]).map((choice) =>
      isJsonObject(choice) && isJsonObject(choice['message'])
        ? { ...choice, message: withoutThoughts(choice['message']) }
        : choice,
    );
    return { ...body, choices: shown };
  }
}
