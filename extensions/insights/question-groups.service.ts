import { AppError } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { LanguageDetector } from '../../src/infrastructure/languages';
import { FUNCTION_WORDS, searchConfiguration, wordsOf } from '../../src/knowledge-bases';
import { TimeSlices } from './time-slices';
import type { DistinctQuestion } from './distinct-questions';
import { GROUPINGS, type QuestionGrouping } from './insights.dto';
import { groupByMeaning } from './group-by-meaning';
import { groupByWords } from './group-by-words';
import { QuestionStemsRepository } from './asked-questions.repository';
import { type QuestionEmbedding, QuestionVectors } from './question-vectors.service';
import { type GroupedQuestions, type TellableGroups, tellableGroups } from './similar-questions';

/** Vectors cost money and time; the most frequent questions have them. */
const MOST_BY_MEANING = 500;
/** Enough to tell the language of a class. */
const LANGUAGE_SAMPLE = 200;

const NO_MODEL =
  'Questions cannot be grouped by meaning: neither the knowledge bases of this assistant nor the service have an ' +
  'embedding model that can be used. Group them by words.';

type Stems = Pick<GroupedQuestions, 'stems' | 'formOf'>;

/** Groups the questions of a class. */
@Injectable()
export class QuestionGroups {
  constructor(
    private readonly stems: QuestionStemsRepository,
    private readonly vectors: QuestionVectors,
    private readonly languages: LanguageDetector,
  ) {}

  /** Groups by words. The questions come with the most frequent first. */
  async byWords(questions: readonly DistinctQuestion[]): Promise<TellableGroups> {
    const { stems, formOf } = await this.stemsOf(questions);
    return tellableGroups({ questions, stems, formOf, groups: await groupByWords(stems, new TimeSlices()) });
  }

  /** Groupings that can be made. `chosen` is the embedding of the material. */
  async possible(organizationId: string, chosen: QuestionEmbedding | null): Promise<readonly QuestionGrouping[]> {
    return (await this.vectors.usable(organizationId, chosen)) === null ? ['words'] : GROUPINGS;
  }

  /** The model for groups by meaning. @throws {AppError} `conflict` without one */
  async modelOf(organizationId: string, chosen: QuestionEmbedding | null): Promise<QuestionEmbedding> {
    const embedding = await this.vectors.usable(organizationId, chosen);
    if (embedding !== null) return embedding;
    throw new AppError('conflict', NO_MODEL, { reason: 'insights.no_embedding' });
  }

  /**
   * Groups by meaning. Questions beyond the first 500 stay alone.
   * @throws {AppError} as `modelOf`, and like `EmbeddingsService.embed`
   */
  async byMeaning(
    organizationId: string,
    questions: readonly DistinctQuestion[],
    chosen: QuestionEmbedding | null,
  ): Promise<TellableGroups> {
    const embedding = await this.modelOf(organizationId, chosen);
    const texts = questions.slice(0, MOST_BY_MEANING).map(({ text }) => text);
    const vectors = await this.vectors.of(organizationId, embedding, texts);
    const groups = await groupByMeaning(vectors, new TimeSlices());
    const alone = questions.slice(MOST_BY_MEANING).map((_, at) => [MOST_BY_MEANING + at]);
    return tellableGroups({ questions, ...(await this.stemsOf(questions)), groups: [...groups, ...alone] });
  }

  /** Stems in the language of most questions. */
  private async stemsOf(questions: readonly DistinctQuestion[]): Promise<Stems> {
    const topics = questions.map(({ words }) => words.filter((word) => !FUNCTION_WORDS.has(word)));
    const sample = questions.slice(0, LANGUAGE_SAMPLE).map(({ text }) => text);
    const language = await this.languages.detectMost(sample.join('\n'));
    const configuration = searchConfiguration(language?.language ?? null);
    const stemOf = await this.stems.of(configuration, [...new Set(topics.flat())]);
    return {
      stems: topics.map((words) => [...new Set(words.flatMap((word) => stemOf.get(word) ?? []))]),
      formOf: (stem, texts) => formOf(texts, (word) => stemOf.get(word) === stem) ?? stem,
    };
  }
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** The first word of the texts with this stem, with its accents. */
function formOf(texts: readonly string[], hasStem: (word: string) => boolean): string | undefined {
  for (const text of texts) {
    const found = text.match(WORD)?.find((word) => wordsOf(word).some(hasStem));
    if (found !== undefined) return found.toLowerCase();
  }
  return undefined;
}
