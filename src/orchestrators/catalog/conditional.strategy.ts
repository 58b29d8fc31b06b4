import { after, inTurn } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type CompiledTool, SEQUENTIAL_TEXTS, type ToolOutcome } from '../../tools';
import { compileCondition, Conditions } from '../conditions';
import type { OrchestratorStrategy, RunStrategy, StrategyDefinition } from '../contract';

/** One tool after another, those whose condition is met; each sees what the earlier ones found. */
@Injectable()
export class ConditionalStrategy implements OrchestratorStrategy {
  readonly definition: StrategyDefinition = {
    name: 'conditional',
    description:
      'Runs the tools one after another, each only when its condition on the question, request or results is met.',
    texts: {
      en: {
        name: 'Conditional',
        about: 'The tools run one after another, each only when its condition is met.',
        best: 'Best when tools help with certain questions only.',
      },
      es: {
        name: 'Condicional',
        about: 'Las herramientas se ejecutan una tras otra, cada una solo si se cumple su condición.',
        best: 'Ideal cuando las herramientas solo sirven para ciertas preguntas.',
      },
      ca: {
        name: 'Condicional',
        about: 'Les eines s’executen una darrere l’altra, cadascuna només si es compleix la seva condició.',
        best: 'Ideal quan les eines només serveixen per a certes preguntes.',
      },
      eu: {
        name: 'Baldintzapekoa',
        about: 'Tresnak bata bestearen atzetik exekutatzen dira, bakoitza bere baldintza betetzen bada soilik.',
        best: 'Egokia tresnek galdera jakin batzuetarako soilik balio dutenean.',
      },
    },
    reads: ['when'],
    shape: { order: 'chain', planned: false },
    options_schema: { type: 'object', properties: {}, additionalProperties: false },
  };

  compile(tools: readonly CompiledTool[]): RunStrategy {
    const steps = tools.map((tool) => ({ tool, condition: compileCondition(tool) }));
    return (context) => {
      const conditions = new Conditions(context);
      const earlier: ToolOutcome[] = [];
      return inTurn(steps, ({ tool, condition }) => {
        const reason = conditions.reasonAgainst(condition, earlier);
        const outcome =
          reason === null ? context.call(tool, SEQUENTIAL_TEXTS, [...earlier]) : context.skip(tool, reason);
        return after(outcome, (each) => earlier.push(each));
      });
    };
  }
}
