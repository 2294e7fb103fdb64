"""English words by which the glosses of a Chinese dictionary give away what kind of name an entry is."""

from __future__ import annotations

import re

_WORDS = {
    "person": """
        writer poet politician physicist king emperor chemist philosopher mathematician novelist composer actor actress
        painter president minister general singer director scholar dramatist playwright historian explorer queen pope
        scientist astronomer communist revolutionary statesman monk calligrapher essayist leader name footballer
        player inventor engineer economist biologist naturalist warlord founder author journalist sculptor athlete
        prime prophet apostle saint god goddess hero heroine pianist violinist critic businessman entrepreneur
        basketball tyrant physician doctor strategist reformer architect disciple
    """,
    "document": """
        novel film movie opera book poem play classic treatise collection constitution law convention treaty charter
        series song symphony painting epic bible scripture sutra chronicle dictionary encyclopedia tale protocol act
        history story comedy tragedy essay essays ballet manifesto
    """,
    "organization": """
        university college company corporation corp bank bureau agency ministry association organization organisation
        group airline airlines newspaper institute academy committee commission party council union press broadcasting
        federation club team army hospital school society foundation manufacturer firm department office court league
        administration daily magazine television ltd inc publisher retailer chain
    """,
    "product": "brand car software browser game satellite spacecraft website search operating portal app",
    "place": """
        autonomous level suburban subprovincial sub range avenue neighborhood pavilion cosmodrome straits reserve
        forestry directly administered suburbs site plain grasslands subdivision nahiyisi shehiri kingdom base county
        city district province prefecture township town village river lake mountain mountains island islands sea strait
        bay gulf desert peninsula port capital state region municipality national park airport railway station bridge
        tower temple palace tomb tombs street road square scenic area valley canyon falls waterfall volcano reservoir
        canal dam archipelago republic country territory banner plateau basin pass mt peak forest grotto grottoes caves
        garden gardens castle museum monastery mosque pagoda great wall
    """,
}
KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
"""What names are called in English, after the name itself, and the kind that each gives away."""

JOINING = frozenset(
    re.findall(r"\S+", "of the and de la for in on at to an a von van du di del le al bin ibn der & da")
)
"""Small words inside names."""

COMMON_HEADS = frozenset(
    re.findall(
        r"\w+",
        """
        festival dynasty people period era epoch language dialect calendar constellation day eve month stem
        branch term order family genus phylum class syndrome disease fever virus theorem law equation effect
        method algorithm test time currency unit person acid cell embroidery cuisine wine tea cabbage style
        philosophy religion doctrine theory war revolution movement incident rebellion uprising battle games cup
        prize award medicine campaign realm box code standard
        """,
    )
)
"""What begins with a capital letter and ends so is a term, an event or a time."""

NO_NAMES = re.compile(
    r"(?:Mr|Mrs|Ms|Miss|Sir|God|Lord|Internet|Christmas|Easter|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February"
    r"|March|April|May|June|July|August|September|October|November|December|X-ray|DNA|OK|Ph\.?D|Wi-?Fi|USB|TV|VIP|IT|KTV"
    r"|CD|DVD|LED|GDP|CEO|I|Web|Heaven|Heavenly|Earth|Moon|Sun|Venus|Mars|Jupiter|Saturn|New|Lunar|Yin|Yang|Qi|Grade|Class"
    r"|Type|Dr|Prof|Ah|Oh|Hello|Bye|Hey|Yes|No|Thank|Happy|Long|He|She|It|You|We|They|The|A|An|Master|Bachelor|Doctor)\b"
)
"""Beginnings of glosses that are written with a capital letter, yet name nothing that is looked up by name."""

PEOPLES = re.compile(
    r"(?:[A-Z][a-z]+(?:ese|ian|ean|can|ish|ism|ist|ic)|Buddhis[tm]|Tao\w*|Hindu|Muslim|Nazi|Zen|French|German|Dutch|Greek"
    r"|Thai|Latin|Han|Mongol|Jewish|Arab|Sino|Anglo|Franco|Indo|Welsh|Turk|Tibetan|Roman|Western|Eastern|Mandarin|Czech)\b"
)
"""Of a people or a creed: alone before a common noun it makes no name (Chinese cabbage)."""
