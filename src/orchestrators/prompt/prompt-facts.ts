import { Injectable } from '@nestjs/common';
import { LanguageDetector } from '../../infrastructure/languages';
import { DISPLAY_LANGUAGES, type DisplayLanguage, type ToolOutcome } from '../../tools';

interface FitTexts {
  readonly weak: string;
  readonly nothing: string;
}

/** Facts for the model, in the language of the template. */
const FIT: Readonly<Record<DisplayLanguage, FitTexts>> = {
  en: {
    weak: 'Note: the passages below share few words with the question. They may not answer it.',
    nothing: 'Note: no passage of the material fits the question.',
  },
  es: {
    weak: 'Nota: los fragmentos siguientes tienen pocas palabras en común con la pregunta. Puede que no la respondan.',
    nothing: 'Nota: ningún fragmento del material se ajusta a la pregunta.',
  },
  ca: {
    weak: 'Nota: els fragments següents tenen poques paraules en comú amb la pregunta. Potser no la responen.',
    nothing: "Nota: cap fragment del material no s'ajusta a la pregunta.",
  },
  eu: {
    weak: 'Oharra: ondorengo pasarteek hitz gutxi dituzte galderarekin komunean. Baliteke galderari ez erantzutea.',
    nothing: 'Oharra: materialaren pasarte bat ere ez dator bat galderarekin.',
  },
};

type Completed = Extract<ToolOutcome, { status: 'completed' }>;

const isWeak = (outcome: ToolOutcome): outcome is Completed =>
  outcome.status === 'completed' && outcome.saysFit === true && outcome.search?.match?.weak === true;

/** Puts what is known about a search before its passages. */
@Injectable()
export class PromptFacts {
  constructor(private readonly detector: LanguageDetector) {}

  /** `instructions`: system prompt and template, which tell the language. */
  async told(outcomes: readonly ToolOutcome[], instructions: string): Promise<readonly ToolOutcome[]> {
    if (!outcomes.some(isWeak)) return outcomes;
    const language = await this.detector.among(instructions, DISPLAY_LANGUAGES);
    const { weak, nothing } = FIT[language ?? 'en'];
    return outcomes.map((outcome) => {
      if (!isWeak(outcome)) return outcome;
      const { content } = outcome;
      return { ...outcome, content: content === '' ? nothing : `${weak}\n\n${content}` };
    });
  }
}
