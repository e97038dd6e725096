import { Code, Text } from '@mantine/core';
import { Name } from '../../parts/name.tsx';
import { spacedWords } from './action-words.ts';
import classes from './audit-entry.module.css';
import type { AuditRecord } from './audit-entry.tsx';
import { changesOf } from './change-words.ts';

/** What an entry changed, and the seals by which it is known. */
export const EntryChanges = ({ entry }: { entry: AuditRecord }) => (
  <Text component="dl" size="sm" className={classes.changes}>
    {changesOf(entry.changes).map(({ field, before, value }) => (
      <ChangeLine key={field} term={spacedWords(field)}>
        {before !== undefined && (
          <>
            <Name>{before}</Name> → <span />
          </>
        )}
        <Name>{value}</Name>
      </ChangeLine>
    ))}
    {entry.subject.id !== null && (
      <ChangeLine term="Id">
        <Code>{entry.subject.id}</Code>
      </ChangeLine>
    )}
    <ChangeLine term="Seal">
      <Code>{entry.hash.slice(0, 16)}</Code> after <Code>{entry.prevHash.slice(0, 16)}</Code>
    </ChangeLine>
  </Text>
);

const ChangeLine = ({ term, children }: { term: string; children: React.ReactNode }) => (
  <>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </>
);
