import type { KeyScope } from '@holdfast/contract';
import { Badge, Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { scopesByTier } from './scope-words.ts';

const shownAtOnce = 4;

const isDestructive = (scope: KeyScope): boolean =>
  scope === '*' || scopesByTier.destructive.includes(scope);

/** What a key may do, the destructive first; many of them on request. */
export const ScopeList = ({ scopes }: { scopes: KeyScope[] }) => {
  const [isOpen, { toggle }] = useDisclosure();
  const ordered = scopes.toSorted(
    (one, other) => Number(isDestructive(other)) - Number(isDestructive(one)),
  );
  const shown = isOpen ? ordered : ordered.slice(0, shownAtOnce);
  const hidden = scopes.length - shownAtOnce;
  return (
    <Group gap={4} maw={420}>
      {shown.map((scope) => (
        <Badge
          key={scope}
          variant="light"
          color={isDestructive(scope) ? 'red' : 'gray'}
          tt="none"
          fw={500}
        >
          {scope === '*' ? 'everything (*)' : scope}
        </Badge>
      ))}
      {hidden > 0 && (
        <Button variant="subtle" size="compact-xs" onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? 'Show fewer' : `and ${hidden} more`}
        </Button>
      )}
    </Group>
  );
};
