"""Things compared and named sources in constructions of many kinds; the questions are in no data set."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.common.domain.question import Action, ParsedQuestion

Parse = Callable[..., ParsedQuestion]


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Is the Leaf cheaper to run than a Golf?", ["Leaf", "Golf"]),
        ("How much faster is WiFi 6 than WiFi 5", ["WiFi 6", "WiFi 5"]),
        ("Did Samsung ship more phones than Apple in Q1 2024?", ["Samsung", "Apple"]),
        ("Do part timers accrue holiday at the same rate as full timers?", ["part timers", "full timers"]),
        ("Is unemployment in Spain higher than in Portugal?", ["Spain", "Portugal"]),
        ("How does battery life of the Pixel 8 compare to the iPhone 15?", ["Pixel 8", "iPhone 15"]),
        ("How do the notice periods in Austria and Germany compare?", ["Austria", "Germany"]),
        ("Out of Vienna, Prague and Budapest, which has the lowest rents?", ["Vienna", "Prague", "Budapest"]),
        ("Any difference between clause 7.1 and clause 7.2 of the lease?", ["clause 7.1", "clause 7.2"]),
        ("Which supplier had fewer defects, Acme or Bolt & Sons?", ["Acme", "Bolt & Sons"]),
        ("Does oat milk froth as well as cow's milk", ["oat milk", "cow's milk"]),
        ("Tomcat vs. Jetty vs. Undertow", ["Tomcat", "Jetty", "Undertow"]),
        ("Were Niels Bohr and Max Planck educated at the same university?", ["Niels Bohr", "Max Planck"]),
        ("Is a step ladder a worse investment than a scaffold?", ["step ladder", "scaffold"]),
        ("We keep both nylon and polyester ropes in stock. Where do they differ?", ["nylon", "polyester ropes"]),
        ("Please show side by side the fees for children and pensioners.", ["children", "pensioners"]),
        ("What has changed in edition 5 of the tariff since edition 4?", ["edition 5 of the tariff", "edition 4"]),
        ("In contrast to PAL, how does NTSC encode colour?", ["PAL", "NTSC"]),
        (
            "Is it worth repairing the old press or should we buy a new one?",
            ["repairing the old press", "buy a new one"],
        ),
        ("Should I repaint the hull or just wait until spring?", ["repaint the hull", "wait until spring"]),
        ("Churn of business customers, 2021 against 2022?", ["2021", "2022"]),
        ("Which of our three labs, Delft, Leuven and Aachen, has the fewest errors?", ["Delft", "Leuven", "Aachen"]),
        ("How did sick leave in Q1 2023 compare with the same quarter of 2022?", ["Q1 2023", "same quarter of 2022"]),
        ("Should new drivers get the Iveco Daily or the Ford Transit?", ["Iveco Daily", "Ford Transit"]),
        ("Has Airbus delivered more than 700 aircraft?", []),
        ("Can I buy and sell shares on the same day?", []),
        ("Did exports shrink by more than a tenth?", []),
    ],
)
def test_sides(parse: Parse, question: str, sides: list[str]) -> None:
    assert [mention.text for mention in parse(question).sides] == sides


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("Judging by the Stern Review, what does climate change cost?", "Stern Review"),
        ("Under section 12 of the tenancy agreement, can she enter?", "tenancy agreement"),
        ("What torque is specified in work instruction WI-223 for the M12 bolts?", "work instruction WI-223"),
        ("Is there anything in the staff handbook about pets?", "staff handbook"),
        ("Which chapter of the operations manual covers de-icing?", "operations manual"),
        ("How does the WHO define obesity?", "WHO"),
        ("Using ASHRAE 62.1, what ventilation rate applies?", "ASHRAE 62.1"),
        ("summarise section 5 of the tender documents", "tender documents"),
        ("What does § 1013.2(e) say?", "§ 1013.2(e)"),
        ("Is encryption mandatory under the GDPR?", None),
        ("Summarise how onboarding works at Siemens", None),
        ("In Hamburg, who is in charge?", None),
        ("Who wrote the incident report?", None),
    ],
)
def test_source(parse: Parse, question: str, source: str | None) -> None:
    found = parse(question).source
    assert (found.text if found else None) == source


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Steps to decommission a domain controller", Action.HOW_TO),
        ("unsubscribe from the Adobe newsletter", Action.HOW_TO),
        ("My card was swallowed by an ATM in Porto. What now?", Action.HOW_TO),
        ("short introduction to zero trust", Action.SUMMARIZE),
        ("Requirements for a Schengen visa", Action.LIST),
        ("price of a monthly pass in Vienna", Action.QUANTIFY),
        ("best noise cancelling headphones for flights", Action.RECOMMEND),
        ("the conveyor halted with message F07901", Action.TROUBLESHOOT),
        ("No sound after Windows update", Action.TROUBLESHOOT),
        ("How much heavier is a bus than a van?", Action.QUANTIFY),
        ("Why is titanium more expensive than steel?", Action.EXPLAIN),
        ("Is smoking allowed on the balcony?", Action.VERIFY),
        ("no, I meant the earlier one", Action.UNKNOWN),
        ("asdf hello", Action.UNKNOWN),
        ("All berths at the north quay", Action.LIST),
        ("Letters received from the ombudsman between 4 and 11 June 2024", Action.LIST),
        ("What could make a ballast pump trip at start?", Action.TROUBLESHOOT),
        ("Can you suggest a glue that won't melt in the sun?", Action.RECOMMEND),
        ("the lift shows nothing on the panel, what now?", Action.TROUBLESHOOT),
        ("In what way do I contest a fine in Lyon?", Action.HOW_TO),
        ("same for part-time staff", Action.UNKNOWN),
        ("Boil the annual report of the port down to five sentences.", Action.SUMMARIZE),
        ("Why have pump failures gone up since May?", Action.EXPLAIN),
    ],
)
def test_texts_that_are_no_full_question(parse: Parse, text: str, action: Action) -> None:
    assert parse(text).action is action


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("packet loss between lon-sw-04 and par-sw-11", ["lon-sw-04", "par-sw-11"]),
        ("spare seal for an NK 80-250/270 pump", ["NK 80-250/270"]),
        ("KUKA KR 210 R2700 in cell 4", ["KR 210 R2700"]),
        ("the autoclave printed fault 'A12.3'", ["A12.3"]),
        ("Nginx returning 504 since the deploy", ["504"]),
        ("torque for the M12 wheel nuts of a 16-bit top-10 covid-19 car", []),
        ("Look up the claim in docket 20418 please", ["20418"]),
        ("Is G-EUUU due for a check?", ["G-EUUU"]),
        ("Does EASA Part-M apply to balloons?", ["EASA Part-M"]),
    ],
)
def test_codes_by_shape_and_context(parse: Parse, text: str, codes: list[str]) -> None:
    assert [mention.text for mention in parse(text).codes] == codes
