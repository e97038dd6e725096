import { Counter, Gauge, Registry } from 'prom-client';

type State = { wanted: number; countServing(): number };

/** What the supervisor knows itself. */
export const createSupervisorMetrics = ({ wanted, countServing }: State) => {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'holdfast_processes',
    help: 'Processes that share the port: those that are wanted, and those of them that serve',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'wanted' }, wanted);
      this.set({ state: 'serving' }, countServing());
    },
  });
  const ended = new Counter({
    name: 'holdfast_processes_ended_total',
    help: 'Processes that ended although nobody had asked them to',
    registers,
  });
  return { registry, ended };
};
