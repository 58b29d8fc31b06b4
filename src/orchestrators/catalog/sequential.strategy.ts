import { after, inTurn } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type CompiledTool, SEQUENTIAL_TEXTS, type ToolOutcome } from '../../tools';
import type { OrchestratorStrategy, RunStrategy, StrategyDefinition } from '../contract';

/** One tool after another; each sees the prompt with the earlier slots filled. */
@Injectable()
export class SequentialStrategy implements OrchestratorStrategy {
  readonly definition: StrategyDefinition = {
    name: 'sequential',
    description: 'Runs the tools one after another; each sees what the earlier ones found.',
    texts: {
      en: {
        name: 'Sequential',
        about: 'The tools run one after another; each sees what the earlier ones found.',
        best: 'Best for steps that build on each other.',
      },
      es: {
        name: 'Secuencial',
        about: 'Las herramientas se ejecutan una tras otra; cada una ve lo que encontraron las anteriores.',
        best: 'Ideal para pasos que se apoyan unos en otros.',
      },
      ca: {
        name: 'Seqüencial',
        about: 'Les eines s’executen una darrere l’altra; cadascuna veu el que han trobat les anteriors.',
        best: 'Ideal per a passos que es basen els uns en els altres.',
      },
      eu: {
        name: 'Sekuentziala',
        about: 'Tresnak bata bestearen atzetik exekutatzen dira; bakoitzak aurrekoek aurkitutakoa ikusten du.',
        best: 'Egokia urratsak bata bestean oinarritzen direnean.',
      },
    },
    reads: [],
    shape: { order: 'chain', planned: false },
    recommended: true,
    options_schema: { type: 'object', properties: {}, additionalProperties: false },
  };

  compile(tools: readonly CompiledTool[]): RunStrategy {
    return ({ call }) => {
      const earlier: ToolOutcome[] = [];
      return inTurn(tools, (tool) =>
        after(call(tool, SEQUENTIAL_TEXTS, [...earlier]), (outcome) => earlier.push(outcome)),
      );
    };
  }
}
