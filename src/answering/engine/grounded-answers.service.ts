import { lastQuestion } from '@bellwether/kernel';
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
  async instructed({ assistant }: Completion, prepared: PreparedPrompt): Promise<PreparedPrompt> {
    if (!assistant.document.onlyFromMaterial) return prepared;
    const { systemPrompt, template } = assistant.document;
    const language = await this.detector.among(`${systemPrompt}\n${template}`, DISPLAY_LANGUAGES);
    return { ...prepared, messages: withInstruction(prepared.messages, TEXTS[language ?? 'en'].instruction) };
  }

  /** The answer that needs no model: the material does not fit. In the asker's language. Null when a model answers. */
  async fixedAnswer({ assistant, request }: Completion, { fit }: PreparedPrompt): Promise<string | null> {
    const { onlyFromMaterial, systemPrompt } = assistant.document;
    if (!onlyFromMaterial || fit === undefined || fit === 'fits') return null;
    const question = lastQuestion(request.messages);
    if (isSmallTalk(question)) return null;
    const language =
      (await this.detector.among(question, DISPLAY_LANGUAGES)) ??
      (await this.detector.among(systemPrompt, DISPLAY_LANGUAGES));
    return TEXTS[language ?? 'en'][fit];
  }
}
