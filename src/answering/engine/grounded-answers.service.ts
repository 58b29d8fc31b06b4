import { type Awaitable, lastQuestion } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { isSmallTalk } from '../../knowledge-bases';
import { LanguageDetector } from '../../infrastructure/languages';
import type { PreparedPrompt } from '../../runs';
import { DISPLAY_LANGUAGES, type DisplayLanguage } from '../../tools';
import type { Completion } from '../completion.types';
import { withInstruction } from './model-requests';

interface Texts {
  readonly instruction: string;
  readonly nothing: string;
  readonly unread: string;
}

const TEXTS: Readonly<Record<DisplayLanguage, Texts>> = {
  en: {
    instruction:
      'Answer only from the material in this conversation. If it does not hold the answer, say so and add nothing of your own.',
    nothing: 'The material of this assistant does not answer this question.',
    unread: 'The material of this assistant could not be read. Please ask again later.',
  },
  es: {
    instruction:
      'Responde solo con el material de esta conversación. Si no contiene la respuesta, dilo y no añadas nada propio.',
    nothing: 'El material de este asistente no responde a esta pregunta.',
    unread: 'No se ha podido leer el material de este asistente. Pregunte de nuevo más tarde.',
  },
  ca: {
    instruction:
      "Respon només amb el material d'aquesta conversa. Si no conté la resposta, digues-ho i no hi afegeixis res de propi.",
    nothing: "El material d'aquest assistent no respon aquesta pregunta.",
    unread: "No s'ha pogut llegir el material d'aquest assistent. Torneu a preguntar més tard.",
  },
  eu: {
    instruction:
      'Erantzun elkarrizketa honetako materialarekin soilik. Erantzuna bertan ez badago, esan eta ez gehitu ezer zeurerik.',
    nothing: 'Laguntzaile honen materialak ez dio galdera honi erantzuten.',
    unread: 'Ezin izan da laguntzaile honen materiala irakurri. Galdetu berriro geroago, mesedez.',
  },
};

/** Assistants that answer only from their material. */
@Injectable()
export class GroundedAnswers {
  constructor(private readonly detector: LanguageDetector) {}

  /** The prompt with the rule for the model, in the language of the author's instructions. */
  instructed({ assistant: { document } }: Completion, prepared: PreparedPrompt): Awaitable<PreparedPrompt> {
    return document.onlyFromMaterial ? this.withRule(document, prepared) : prepared;
  }

  private async withRule(
    { systemPrompt, template }: Completion['assistant']['document'],
    prepared: PreparedPrompt,
  ): Promise<PreparedPrompt> {
    const language = await this.detector.among(`${systemPrompt}\n${template}`, DISPLAY_LANGUAGES);
    return { ...prepared, messages: withInstruction(prepared.messages, TEXTS[language ?? 'en'].instruction) };
  }

  /** The answer that needs no model: the material does not fit. In the asker's language. Null when a model answers. */
  fixedAnswer({ assistant, request }: Completion, { fit }: PreparedPrompt): Awaitable<string | null> {
    const { onlyFromMaterial, systemPrompt } = assistant.document;
    if (!onlyFromMaterial || fit === undefined || fit === 'fits') return null;
    const question = lastQuestion(request.messages);
    return isSmallTalk(question) ? null : this.refusalOf(fit, question, systemPrompt);
  }

  private async refusalOf(
    fit: Exclude<PreparedPrompt['fit'], undefined | 'fits'>,
    question: string,
    systemPrompt: string,
  ): Promise<string> {
    const language =
      (await this.detector.among(question, DISPLAY_LANGUAGES)) ??
      (await this.detector.among(systemPrompt, DISPLAY_LANGUAGES));
    return TEXTS[language ?? 'en'][fit];
  }
}
