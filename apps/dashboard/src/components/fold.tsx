import { Button, Collapse } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';

type FoldProps = {
  /** What is inside: "More options". */
  label: string;
  isOpenFirst?: boolean;
  children: ReactNode;
};

/** Content that most readers do not need: closed until it is asked for. */
export const Fold = ({ label, isOpenFirst = false, children }: FoldProps) => {
  const [isOpen, { toggle }] = useDisclosure(isOpenFirst);
  const id = useId();
  const Chevron = isOpen ? IconChevronUp : IconChevronDown;
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-md"
        px={0}
        aria-expanded={isOpen}
        aria-controls={id}
        rightSection={<Chevron size={16} aria-hidden />}
        onClick={toggle}
      >
        {label}
      </Button>
      <Collapse expanded={isOpen} id={id}>
        {children}
      </Collapse>
    </div>
  );
};
