import { Injectable } from '@nestjs/common';
import { RerankerService } from '../../../connectors';
import type { Principal } from '../../../kernel';
import { RetrievalService } from '../../retrieval/retrieval.service';
import { chunkHash } from '../../search/chunk-hash';
import { VectorStore } from '../../search/vectors/vector-store';
import type { KnowledgeBaseEntity } from '../../storage/knowledge-base.entity';
import { KnowledgeBasePermissions } from '../../storage/knowledge-base.permissions';
import type { RetrievalMode } from '../../storage/knowledge-base.types';
import { MOST_JUDGEMENTS } from '../judgements.service';
import type { JudgementEntity } from '../storage/judgement.entity';
import { JudgementRepository } from '../storage/judgement.repository';
import { alternativesOf, currentSettings, type RankingSettings, withCurrent } from './alternatives';
import type { AlternativeDto, EvaluateDto, EvaluationDto } from './evaluation.dto';
import { figuresOf, type Judged, type RankingFigures, rightPassages } from './ranking-figures';

const MOST_QUESTIONS = 50;
/** Time limit of a comparison: a person waits for it. */
const MOST_MS = 60_000;

/** A question with a right passage that is in the material. */
interface JudgedQuestion {
  readonly text: string;
  readonly judgements: readonly Judged[];
  readonly right: readonly ReadonlySet<string>[];
}

/** Figures of one alternative, a set for each question so far. */
interface Tally {
  readonly settings: RankingSettings;
  readonly figures: RankingFigures[];
  readonly warnings: Set<string>;
  mode: RetrievalMode;
}

/** Compares settings of a knowledge base on the questions that its owner has judged. Nothing is changed. */
@Injectable()
export class EvaluationService {
  constructor(
    private readonly permissions: KnowledgeBasePermissions,
    private readonly judgements: JudgementRepository,
    private readonly retrieval: RetrievalService,
    private readonly rerankers: RerankerService,
    private readonly vectors: VectorStore,
  ) {}

  async evaluate(
    principal: Principal,
    knowledgeBaseId: string,
    { at, alternatives }: EvaluateDto,
    signal: AbortSignal,
  ): Promise<EvaluationDto> {
    const row = await this.permissions.owned(principal, knowledgeBaseId);
    const scope = this.judgements.within(row.organizationId);
    const judged = await scope.all(row.id, null, MOST_JUDGEMENTS);
    const present = await scope.present(
      row.id,
      judged.flatMap(({ chunks }) => chunks),
    );
    const questions = questionsOf(judged, present);
    const tallies = await this.settingsOf(row, alternatives);
    const asked = await this.ask(principal, row, { questions, tallies, at, signal });
    return {
      at,
      questions: asked,
      left_out: questions.length - asked,
      outdated: judged.filter(({ chunks }) => !chunks.some((chunk) => present.has(chunk))).length,
      alternatives: tallies.map(toDto),
    };
  }

  private async settingsOf(row: KnowledgeBaseEntity, wanted: EvaluateDto['alternatives']): Promise<Tally[]> {
    const vectors = this.vectors.available && row.vectorIndex !== null;
    const current = currentSettings(row, vectors);
    const rerank = await this.rerankers.isConfigured(row.organizationId);
    const all = wanted === undefined ? alternativesOf(current, { vectors, rerank }) : withCurrent(current, wanted);
    return all.map((settings) => ({ settings, figures: [], warnings: new Set(), mode: 'keyword' }));
  }

  /** Number of the questions that every alternative was asked before the time was over. */
  private async ask(
    principal: Principal,
    row: KnowledgeBaseEntity,
    { questions, tallies, at, signal }: Comparison,
  ): Promise<number> {
    const deadline = performance.now() + MOST_MS;
    let asked = 0;
    for (const { text, judgements, right } of questions.slice(0, MOST_QUESTIONS)) {
      if (performance.now() > deadline) break;
      // One after the other, so that the question is embedded once and the service stays responsive.
      for (const tally of tallies) {
        const query = { text, topK: at, threshold: 0, rerank: tally.settings.rerank, signal };
        const weighted = weightedRow(row, tally.settings);
        const { passages, collections, warnings } = await this.retrieval.queryWith(principal, weighted, query);
        const shown = passages.map(({ chunks = [] }) => chunks.map(chunkHash));
        tally.figures.push(figuresOf(shown, judgements, right, at));
        for (const warning of warnings) tally.warnings.add(warning);
        tally.mode = collections[0]?.mode ?? 'keyword';
      }
      asked += 1;
    }
    return asked;
  }
}

interface Comparison {
  readonly questions: readonly JudgedQuestion[];
  readonly tallies: readonly Tally[];
  readonly at: number;
  readonly signal: AbortSignal;
}

/** The current weight stays as it is: without a value of its own it depends on the question. */
const weightedRow = (row: KnowledgeBaseEntity, { hybrid_weight }: RankingSettings): KnowledgeBaseEntity =>
  hybrid_weight === currentSettings(row, true).hybrid_weight ? row : { ...row, hybridWeight: hybrid_weight };

/** Questions with a right passage in the material, the newest first. */
function questionsOf(judged: readonly JudgementEntity[], present: ReadonlySet<string>): JudgedQuestion[] {
  const byQuestion = new Map<string, JudgementEntity[]>();
  for (const row of judged) byQuestion.set(row.questionHash, [...(byQuestion.get(row.questionHash) ?? []), row]);
  return [...byQuestion.values()].flatMap((judgements) => {
    const right = rightPassages(judgements, present);
    return right.length === 0 ? [] : [{ text: judgements[0]?.question ?? '', judgements, right }];
  });
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : Math.round((1e4 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 1e4;

const toDto = ({ settings, figures, mode, warnings }: Tally, place: number): AlternativeDto => ({
  ...settings,
  current: place === 0,
  mode,
  ndcg: mean(figures.map(({ ndcg }) => ndcg)),
  hit_rate: mean(figures.map(({ hit }) => Number(hit))),
  judged: mean(figures.map(({ judged }) => judged)),
  warnings: [...warnings],
});
