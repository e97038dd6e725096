import { Text } from '@mantine/core';
import { Section } from '../../../components/page.tsx';
import { buyingSteps } from '../../../labels/marketplace.ts';
import type { Listing } from '../../../queries/records.ts';
import classes from './how-it-works.module.css';

/** What happens after the order, by the listing's own way of delivery. */
export const HowItWorks = ({ listing }: { listing: Listing }) => (
  <Section title="How it works">
    <ol className={classes.steps}>
      {buyingSteps(listing).map(({ title, text }, index) => (
        <li key={title} className={classes.step}>
          <span className={classes.number} aria-hidden>
            {index + 1}
          </span>
          <div>
            <Text fw={600}>{title}</Text>
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          </div>
        </li>
      ))}
    </ol>
  </Section>
);
