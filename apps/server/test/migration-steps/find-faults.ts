import type { Migration, Release } from '../../src/db/steps/read-migrations.ts';
import { changesOf } from './contract-rules.ts';
import { type Added, faultOfExpand } from './expand-rules.ts';
import { splitStatements } from './statements.ts';

/** What in the steps after the first release breaks the rule that two releases share a database. */
export const findStepFaults = (migrations: Migration[], releases: Release[]): string[] => {
  const addedBy = new Map<number, Added>();
  return migrations
    .filter(({ step }) => step !== 'base')
    .flatMap((migration) => {
      const { tag, step, generation } = migration;
      const added = addedBy.get(generation) ?? { tables: new Set(), columns: new Set() };
      addedBy.set(generation, added);
      const statements = migration.statements.flatMap(splitStatements);
      const faults =
        step === 'expand'
          ? statements.map((statement) => [statement, faultOfExpand(statement, added)] as const)
          : statements.map(
              (statement) => [statement, faultOfContract(statement, generation, releases)] as const,
            );
      return [
        ...faults.flatMap(([statement, fault]) =>
          fault ? [`${tag}: "${statement}" ${fault}`] : [],
        ),
        ...faultsOfMixture(tag, statements),
      ];
    });
};

const faultOfContract = (statement: string, generation: number, releases: Release[]) => {
  const earlier = releases.filter((release) => release.generation < generation);
  const allowed = new Set(earlier.flatMap(({ readyFor }) => readyFor));
  for (const change of changesOf(statement)) {
    if (change === undefined) return 'is no step of a contract: no release can be ready for it';
    if (!allowed.has(change)) return `needs "${change}" in readyFor of an earlier release`;
  }
  return undefined;
};

/** An index is built concurrently outside a transaction, so nothing else may depend on one there. */
const faultsOfMixture = (tag: string, statements: string[]): string[] => {
  const concurrent = statements.filter((statement) =>
    /^\w+ (?:unique )?index concurrently /.test(statement),
  );
  const isMixed = concurrent.length > 0 && concurrent.length < statements.length;
  return isMixed ? [`${tag}: what runs concurrently stands in a migration of its own`] : [];
};
