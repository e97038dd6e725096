import { PageHead } from '../../parts/page-head.tsx';

export const Pulls = () => <PageHead title="Pulls" />;
