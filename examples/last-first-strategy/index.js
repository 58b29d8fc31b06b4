import { definePlugin } from '@bellwether/plugin';

/** @import { OrchestratorStrategy, StrategyDefinition, ToolTexts } from '@bellwether/plugin' */

/** @type {ToolTexts} */
const TEXTS = {
  started: (target) => `Starting ${target}`,
  completed: ({ plugin }, chars) => `${plugin} gave ${chars} characters`,
};

/**
 * Runs the tools from the last to the first: each sees the results of those behind it.
 * @implements {OrchestratorStrategy}
 */
export class LastFirstStrategy {
  /** @type {StrategyDefinition} */
  definition = {
    name: 'last_first',
    description: 'Runs the tools from the last to the first.',
    texts: {
      en: {
        name: 'Last first',
        about: 'The tools run from the last to the first.',
        best: 'Best for a first tool that needs the results of all others.',
      },
      es: {
        name: 'Del último al primero',
        about: 'Las herramientas se ejecutan de la última a la primera.',
        best: 'Ideal cuando la primera herramienta necesita los resultados de las demás.',
      },
      ca: {
        name: 'De l’últim al primer',
        about: 'Les eines s’executen de l’última a la primera.',
        best: 'Ideal quan la primera eina necessita els resultats de les altres.',
      },
      eu: {
        name: 'Azkenetik lehenera',
        about: 'Tresnak azkenetik lehenera exekutatzen dira.',
        best: 'Egokia lehen tresnak besteen emaitzak behar dituenean.',
      },
    },
    reads: [],
    shape: { order: 'chain', planned: false },
    options_schema: {
      type: 'object',
      properties: { most: { type: 'integer', title: 'Most tools', minimum: 1, default: 20 } },
      additionalProperties: false,
    },
  };

  /** @type {OrchestratorStrategy['compile']} */
  compile(tools, { most }) {
    const order = [...tools].reverse();
    return async ({ start, skip }) => {
      /** @type {Awaited<ReturnType<typeof start>>[]} */
      const earlier = [];
      for (const [position, tool] of order.entries()) {
        if (position < Number(most)) earlier.push(await start(tool, TEXTS, [...earlier]));
        else skip(tool, `only ${most} tools run`);
      }
      return { stages: order.map(({ plugin, placeholder }) => [placeholder ?? plugin]) };
    };
  }
}

export default definePlugin({ strategies: [LastFirstStrategy] });
